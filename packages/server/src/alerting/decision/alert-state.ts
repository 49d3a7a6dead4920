// The state that decisions about one check need, independent of how it is stored.
import type { AlertStateFields } from '../../storage/alerts/alert-states.ts'

export type RunState = AlertStateFields['state']

/** The level of the latest alert that was decided in an episode, sent or held back. */
export type DecidedLevel = AlertStateFields['decided']

/**
 * - `state`: the last run under the alert settings; `previousState`: the state before that
 * - `rawState`: the last run, regardless of the share of locations that the settings require
 * - `runs`: how many runs in a row didn't pass; `since`: when the first of them was due
 * - `decided`, `isNotified`: the level decided in the episode, and whether an alert of it was sent
 * - `settleAt`: the last results came late; their final state is decided then
 */
export type AlertState = AlertStateFields

/** A scheduled or on-demand run, in one location or in several at once. */
export interface AlertRun {
  /** When the run was due. Runs of a check are decided in this order. */
  at: number
  /** Locations with a verdict about the target. */
  locations: number
  failed: number
  degraded: number
}

/** The state of a passing check, for which none is stored. */
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
