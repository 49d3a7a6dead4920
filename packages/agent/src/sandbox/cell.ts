// A cell: where one run of users' code lives, with every program it starts, the browser included. Its own users, processes,
// files and network; the only way out is the agent's egress, by the agent's rules. Single-use: closed, nothing of it is left.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { Lookup } from '../net/resolve.ts'

export interface CellLimits {
  /** Resident memory of everything in the cell together. */
  memoryBytes: number
  /** Of the run's folder and its temporary files. */
  diskBytes: number
  /** Of /tmp and of /dev/shm, each: they are kept in memory. */
  temporaryBytes: number
  processes: number
  openFiles: number
  /** Of one process. */
  cpuSeconds: number
  /** Connections at once, in all, and the bytes over all of them. */
  maxOpenConnections: number
  maxConnections: number
  maxTransferredBytes: number
}

export interface CellMount {
  from: string
  to: string
  /** Where nothing can be mounted, whoever opens the cell copies it in if the cell's user can not go there. */
  isCopied?: boolean
}

export interface CellSettings {
  /** Read-only folders of this machine, by their place inside. */
  mounts: readonly CellMount[]
  limits: CellLimits
  network: NetworkPolicy
  lookup?: Lookup
}

export interface CellProgram {
  argv: readonly string[]
  /** Whole: nothing is inherited but what the cell needs itself (see `cell.environment`). */
  env: Readonly<Record<string, string>>
  /** Inside. */
  cwd: string
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void
}

export interface CellEnd {
  exitCode: number | null
  signal: string | null
  /** Why the cell ended it, if it did. */
  reason: 'exited' | 'killed' | 'memory' | 'disk' | 'cell'
}

export interface RunningProgram {
  write(data: string | Buffer): void
  closeInput(): void
  kill(): void
  readonly ended: Promise<CellEnd>
}

/** A connection that was not made, as the browser can not tell. */
export interface ConnectionFailure {
  host: string
  port: number
  kind: string
  message: string
  code?: string
}

export interface Cell {
  /** On this machine; inside it is `work`, which programs may write to. */
  readonly folder: string
  /** Inside: /work where there are walls. */
  readonly work: string
  /** Gives what the agent wrote into the folder to the cell's user. */
  handOver(): Promise<void>
  /** What programs need to reach the network: a preload for Node, ALL_PROXY (SOCKS and HTTP on one port) for others. */
  readonly environment: Readonly<Record<string, string>>
  /** Strong: the walls hold hostile code too. Else documented gaps remain. */
  readonly level: 'strong' | 'fallback'
  start(program: CellProgram): RunningProgram
  connectionFailures(): readonly ConnectionFailure[]
  /** Ends every process; afterwards the folder can be read without racing anyone. Its owner removes it with `remove`. */
  end(): Promise<void>
  remove(): Promise<void>
}

export type OpenCell = (settings: CellSettings, signal: AbortSignal) => Promise<Cell>
