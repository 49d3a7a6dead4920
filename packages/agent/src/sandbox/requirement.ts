// Decides when user code isn't run, because the isolation of this host doesn't meet the operator's settings.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { Isolation } from './cell.ts'

/**
 * AGENT_SANDBOX. auto: isolated by bubblewrap; require: also with a user of its own for each run; fallback: where bubblewrap
 * doesn't work, with limits only.
 */
export type SandboxSetting = 'auto' | 'require' | 'fallback'

/** AGENT_LIMITS. auto: the kernel limits runs where it can; require: without such limits code isn't run. */
export type LimitsSetting = 'auto' | 'require'

export type RelevantIsolation = Pick<Isolation, 'level' | 'missing' | 'limitsMissing'>

/** A message for results; null: code may run. */
export function refusalToRun(
  { level, missing, limitsMissing }: RelevantIsolation,
  network: NetworkPolicy,
  setting: SandboxSetting,
  limits: LimitsSetting,
): string | null {
  if (limits === 'require' && limitsMissing !== undefined) {
    return (
      'code is not run: this agent requires limits by the kernel (AGENT_LIMITS=require), and ' +
      `${limitsMissing}. ${limitsHint}`
    )
  }
  if (level === 'strong') return null
  if (setting === 'require') {
    return (
      `code is not run: this agent requires strong isolation (AGENT_SANDBOX=require), and the level of its host is ${level}. ` +
      `Strong isolation needs bubblewrap and an agent that runs as root${missingHint(missing)}`
    )
  }
  if (level === 'same-user') return null
  if (setting !== 'fallback')
    return `code is not run: the level of this agent's host is fallback. ${fallbackHint}`
  if (isOpen(network)) return null
  return (
    'code is not run: this agent must not reach internal addresses (AGENT_NETWORK, AGENT_DENY_NETWORKS), and at the level fallback ' +
    'nothing enforces that. Install bubblewrap and unset AGENT_SANDBOX=fallback'
  )
}

export const limitsHint =
  'Such limits need a cgroup v2 of the agent: set Delegate=yes in its systemd unit, or start its container with --security-opt ' +
  'writable-cgroups=true (Docker 28) or --security-opt unmask=/sys/fs/cgroup (Podman)'

const fallbackHint =
  'If you trust all code that it runs, AGENT_SANDBOX=fallback runs it with limits only (docs/code-checks.md)'

/** Why no code runs on this host. */
export const noIsolation = (reason: string, missing: readonly string[]) =>
  `code is not run: its isolation by bubblewrap doesn't work on this agent's host: ${reason}${missingHint(missing)}. ${fallbackHint}`

const missingHint = (missing: readonly string[]) =>
  missing.length === 0 ? '' : `. ${missingSentence(missing)}`

export const missingSentence = (missing: readonly string[]) =>
  `Missing for strong isolation: ${missing.map((setting) => `\`${setting}\``).join(', ')}`

/** Debian's packages of programs that don't have the same name. */
const packageNames: Partial<Record<string, string>> = { bwrap: 'bubblewrap', newuidmap: 'uidmap' }

export function installHint(program: string): string {
  const name = packageNames[program] ?? 'util-linux'
  return `the program ${program} isn't installed (Debian: apt install ${name})`
}

/** Rules that allow the agent's own machine and its network need no isolation to enforce them. */
function isOpen(network: NetworkPolicy): boolean {
  const inner = ['127.0.0.1', '10.0.0.1', '192.168.0.1', 'fd00::1']
  return inner.every((address) => network.refusalOf(address) === null)
}

/** At the fallback level nothing is mounted: the cell's user reads it in its original location. */
export const unreachableMessage = (folder: string) =>
  `code is not run: its user on this agent's host can't read ${folder}. Make it and its parent directories readable for all ` +
  'users, or choose another directory (AGENT_RUNTIMES_DIR, PLAYWRIGHT_BROWSERS_PATH, CHROMIUM_PATH)'
