import type { Config } from '../../config.ts'
import type { Clock } from '../../core/clock.ts'
import type { StateLog } from '../../core/state-log.ts'

/** Passed along with results to the decision. */
export interface DecisionContext {
  now: number
  /** False: results are recorded without alerts. */
  isAlerting: boolean
  /** Absent: changes of state aren't logged. */
  stateLog?: StateLog | undefined
}

export function decisionContext({
  clock,
  config,
  stateLog,
}: {
  clock: Clock
  config: Pick<Config, 'ALERTS'>
  stateLog?: StateLog | undefined
}): DecisionContext {
  return { now: clock.now(), isAlerting: config.ALERTS === 'on', stateLog }
}
