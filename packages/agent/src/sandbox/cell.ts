// A cell isolates one run of user code with every program that it starts, including browsers: own users, processes, files and
// network. Its only egress is through the agent, by the agent's rules. It is used once and leaves nothing behind.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { Lookup } from '../net/resolve.ts'

/**
 * strong: namespaces, a pivoted root, a system-call filter and a user of its own, safe for hostile code. same-user: the same without
 * a user of its own, since the agent isn't root. fallback: limits only, with documented gaps.
 */
export type CellLevel = 'strong' | 'same-user' | 'fallback'

/** Who limits memory and processes: the kernel by a control group for each run, or the agent, which measures them. */
type LimitsWay = 'cgroup' | 'polling'

export interface Isolation {
  level: CellLevel
  layers: readonly string[]
  /** Settings of the container or host that strong isolation needs. */
  missing: readonly string[]
  limits: LimitsWay
  /** Why the kernel doesn't limit runs; absent: it does. */
  limitsMissing?: string
}

export interface CellLimits {
  /** Resident memory of all processes of the cell together. */
  memoryBytes: number
  /** The run's directory and its temporary files. */
  diskBytes: number
  /** Of /tmp and of /dev/shm, each; they are in memory. */
  temporaryBytes: number
  processes: number
  openFiles: number
  /** Per process. */
  cpuSeconds: number
  /** Concurrent connections, connections in total, and bytes over all of them. */
  maxOpenConnections: number
  maxConnections: number
  maxTransferredBytes: number
}

export interface CellMount {
  from: string
  to: string
  /** At the fallback level, the caller copies it into the cell if the cell's user can't read it. */
  isCopied?: boolean
}

export interface CellSettings {
  /** Read-only directories of this machine, and their paths in the cell. */
  mounts: readonly CellMount[]
  limits: CellLimits
  network: NetworkPolicy
  lookup?: Lookup
}

export interface CellProgram {
  argv: readonly string[]
  /** Complete: nothing is inherited. Must contain `cell.environment`. */
  env: Readonly<Record<string, string>>
  /** A path in the cell. */
  cwd: string
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void
}

export interface CellEnd {
  exitCode: number | null
  signal: string | null
  /** Why the program ended; all but `exited`: the cell ended it. */
  reason: 'exited' | 'killed' | 'memory' | 'processes' | 'disk' | 'output' | 'cell'
}

export interface RunningProgram {
  write(data: string | Buffer): void
  closeInput(): void
  kill(): void
  readonly ended: Promise<CellEnd>
}

/** Why a connection failed; browsers only know that the proxy refused it. */
export interface ConnectionFailure {
  host: string
  port: number
  kind: string
  message: string
  code?: string
}

export interface Cell {
  /** The work directory on this machine. */
  readonly folder: string
  /** The work directory as programs in the cell see it, writable. */
  readonly work: string
  /** Makes the cell's user the owner of what the agent wrote into the directory. */
  chown(): Promise<void>
  /** What programs need for the network: a preload for Node, ALL_PROXY (SOCKS and HTTP on one port) for others. */
  readonly environment: Readonly<Record<string, string>>
  readonly level: CellLevel
  readonly limits: LimitsWay
  start(program: CellProgram): RunningProgram
  connectionFailures(): readonly ConnectionFailure[]
  /** Ends every process; then the directory no longer changes. The caller removes it with `remove`. */
  end(): Promise<void>
  remove(): Promise<void>
}

export type OpenCell = (settings: CellSettings, signal: AbortSignal) => Promise<Cell>
