// How long runs may take in all, whatever they do: the last line of defense behind the runners' own limits.
import type { CheckType, CodeCheckType, Job } from '@vedette/contracts'
import { typeFacts } from '@vedette/contracts/type-facts'

const scriptMs = 10_000

/** Types that are nothing but code of users. */
export const codeCheckTypes = (Object.keys(typeFacts) as CheckType[]).filter(isCodeType)

export function isCodeType(checkType: CheckType): checkType is CodeCheckType {
  return typeFacts[checkType].capacity === 'code'
}

export function limitMsOf({
  checkType,
  setup,
  teardown,
}: Pick<Job, 'checkType' | 'setup' | 'teardown'>): number {
  return typeFacts[checkType].runLimitMs + (setup.length + teardown.length) * scriptMs
}

/** A run that was aborted has this long to end. A cell has processes to end, and files that show what happened. */
export function graceMsOf(checkType: CheckType): number {
  return isCodeType(checkType) ? 30_000 : 5_000
}
