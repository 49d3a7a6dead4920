import type { Config } from '../../config.ts'
import type { Clock } from '../../core/clock.ts'
import type { StateLog } from '../../core/state-log.ts'

/** What travels with results to where they are decided. */
export interface DecisionContext {
  now: number
  /** False: results are recorded, and nobody is told of them. */
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
