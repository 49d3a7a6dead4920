// Decides when user code isn't run, because the isolation of this host doesn't meet the operator's settings.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'

/** AGENT_SANDBOX. auto: the strongest isolation available; require: strong isolation or no code. */
export type SandboxSetting = 'auto' | 'require'

const remedy = '(unprivileged user namespaces, or root with CAP_SYS_ADMIN)'

interface Isolation {
  isStrong: boolean
  network: NetworkPolicy
  setting: SandboxSetting
}

/** A message for results; null: code may run. */
export function refusalToRun({ isStrong, network, setting }: Isolation): string | null {
  if (isStrong) return null
  if (setting === 'require') {
    return (
      'code is not run: this agent requires strong isolation (AGENT_SANDBOX=require), and its host offers no ' +
      `namespaces ${remedy}`
    )
  }
  if (isOpen(network)) return null
  return (
    'code is not run: this agent must not reach internal addresses (AGENT_NETWORK, AGENT_DENY_NETWORKS), and its host ' +
    `offers no network namespace to enforce that ${remedy}`
  )
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
