// Where the alerts of one check stand: the memory that deciding needs, and nothing of how it is kept.
import type { AlertStateFields } from '../../storage/alerts/alert-states.ts'

export type RunState = AlertStateFields['state']

/** What people are told of, or deliberately not told of: the worst that was decided in an episode. */
export type DecidedLevel = AlertStateFields['decided']

/**
 * `state`: of the last run as alert settings see it, `previousState`: what it was before that; `rawState`: of the last run
 * whatever share of its locations they ask for. `runs`: how many in a row did not pass, `since` when. `decided`, `isNotified`: what was decided
 * of the episode, and whether anything of it really went out. `settleAt`: the last results came late, and what they ended
 * in is told then.
 */
export type AlertState = AlertStateFields

/** One run as the decision sees it: a scheduled or on-demand run, in one location or in several at once. */
export interface AlertRun {
  /** The run's own instant; runs of a check are decided in this order. */
  at: number
  /** Locations that said something about the target. */
  locations: number
  failed: number
  degraded: number
}

/** A passing check, of which nothing is remembered. */
export function calmState(at: number): AlertState {
  return {
    state: 'passing',
    previousState: 'passing',
    rawState: 'passing',
    runs: 0,
    since: null,
    episodeAt: at,
    decided: 'none',
    isNotified: false,
    remindersSent: 0,
    remindAt: null,
    settleAt: null,
  }
}
