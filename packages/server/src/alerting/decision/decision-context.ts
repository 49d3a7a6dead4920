import type { Config } from '../../config.ts'
import type { Clock } from '../../core/clock.ts'
import type { StateLog } from '../../core/state-log.ts'

/** Passed along with results to the decision. */
export interface DecisionContext {
  now: number
  /** False: results are recorded without alerts. */
  isAlerting: boolean
  /** How many passing runs keep their details; absent: all. */
  detailSamplePercent?: number | undefined
  /** Absent: changes of state aren't logged. */
  stateLog?: StateLog | undefined
}

export function decisionContext({
  clock,
  config,
  stateLog,
}: {
  clock: Clock
  config: Pick<Config, 'ALERTS' | 'DETAIL_SAMPLE_PERCENT'>
  stateLog?: StateLog | undefined
}): DecisionContext {
  return {
    now: clock.now(),
    isAlerting: config.ALERTS === 'on',
    detailSamplePercent: config.DETAIL_SAMPLE_PERCENT,
    stateLog,
  }
}
