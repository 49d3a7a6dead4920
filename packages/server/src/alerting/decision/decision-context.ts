import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'

/** What travels with results to where they are decided. */
export interface DecisionContext {
  now: number
  /** False: results are recorded, and nobody is told of them. */
  isAlerting: boolean
}

export function decisionContext({
  clock,
  config,
}: {
  clock: Clock
  config: Pick<Config, 'ALERTS'>
}): DecisionContext {
  return { now: clock.now(), isAlerting: config.ALERTS === 'on' }
}
