import type { CheckType } from './checks/index.ts'

const runsCode = {
  API: false,
  URL: false,
  TCP: false,
  DNS: false,
  ICMP: false,
  HEARTBEAT: false,
  BROWSER: true,
  MULTI_STEP: true,
  PLAYWRIGHT: true,
  AGENTIC: true,
} satisfies Record<CheckType, boolean>

/** Whether a check is nothing but code of its users'. Scripts around the request of an API check do not make it one. */
export function isCodeType(checkType: CheckType): boolean {
  return runsCode[checkType]
}
