// Upper limits for the duration of runs, in case a runner's own limits fail.
import type { CheckType, CodeCheckType, Job } from '@vedette/contracts'
import { typeFacts } from '@vedette/contracts/type-facts'

const scriptMs = 10_000

/** Types that run only user code. */
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

/** The time that an aborted run has to end. A cell has processes to end and files to collect. */
export function graceMsOf(checkType: CheckType): number {
  return isCodeType(checkType) ? 30_000 : 5_000
}
