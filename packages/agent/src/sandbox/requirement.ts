// When code of users is not run at all, because the walls of this host would not hold it to what the operator asked for.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'

/** AGENT_SANDBOX. auto: the strongest walls there are; require: strong ones or no code at all. */
export type SandboxSetting = 'auto' | 'require'

const remedy = '(unprivileged user namespaces, or root with CAP_SYS_ADMIN)'

interface Walls {
  isStrong: boolean
  network: NetworkPolicy
  setting: SandboxSetting
}

/** In words for the people who read results; null: it may run. */
export function refusalToRun({ isStrong, network, setting }: Walls): string | null {
  if (isStrong) return null
  if (setting === 'require') {
    return (
      'code is not run: this agent must keep it behind strong walls (AGENT_SANDBOX=require), and its host offers no ' +
      `namespaces to build them with ${remedy}`
    )
  }
  if (isOpen(network)) return null
  return (
    'code is not run: this agent must not reach internal addresses (AGENT_NETWORK, AGENT_DENY_NETWORKS), and its host ' +
    `offers no network namespace that would hold code to that ${remedy}`
  )
}

/** Rules that let the agent reach its own machine and its neighbours protect nothing that a wall would be needed for. */
function isOpen(network: NetworkPolicy): boolean {
  const inner = ['127.0.0.1', '10.0.0.1', '192.168.0.1', 'fd00::1']
  return inner.every((address) => network.refusalOf(address) === null)
}

/** Without walls nothing can be mounted: code, which is another user then, has to find it where it is. */
export const unreachableMessage = (folder: string) =>
  `code is not run: its user on this agent's host may not enter ${folder}. Let everyone pass to it and read it, or choose ` +
  'another folder (AGENT_RUNTIMES_DIR, PLAYWRIGHT_BROWSERS_PATH, CHROMIUM_PATH)'
