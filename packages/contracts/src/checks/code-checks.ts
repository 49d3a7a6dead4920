import type { CheckType } from './index.ts'

/** What agents run, by the capacity it takes; heartbeats run on no agent. */
const capacityOf = {
  API: 'network',
  URL: 'network',
  TCP: 'network',
  DNS: 'network',
  ICMP: 'network',
  HEARTBEAT: null,
  BROWSER: 'code',
  MULTI_STEP: 'code',
  PLAYWRIGHT: 'code',
  AGENTIC: 'code',
} as const satisfies Record<CheckType, 'network' | 'code' | null>

/** Whether a check is nothing but code of its users'. Scripts around the request of an API check do not make it one. */
export function isCodeType(checkType: CheckType): boolean {
  return capacityOf[checkType] === 'code'
}

/** Every type that takes an agent's network capacity. */
export const networkCheckTypes = (Object.keys(capacityOf) as CheckType[]).filter(
  (type) => capacityOf[type] === 'network',
)
