// The state of a check, as statuses, checks, badges and metrics show it.
import { z } from 'zod'
import { addition, Timestamp } from '../core/fields.ts'

/** In order of precedence: the first that holds is the state. */
export const checkStates = ['inactive', 'maintenance', 'unknown', 'failing', 'degraded', 'passing'] as const

export type CheckStateName = (typeof checkStates)[number]

/** The outcomes of a run that say something about the target. */
export const verdicts = ['failing', 'degraded', 'passing'] as const

export type Verdict = (typeof verdicts)[number]

/** The number of slots in a row that a check must miss for its state to be unknown. */
export const UnknownAfterMissedRuns = z.int().min(1).max(100)

/** Additive fields of a check and of its status. */
export const stateFields = {
  state: addition(
    z
      .enum(checkStates)
      .describe(
        'The first that holds: inactive (the check or its group is deactivated), maintenance (a window pauses its runs), ' +
          'unknown (it never ran, or missed too many runs), then the outcome of its last run',
      ),
  ),
  since: addition(Timestamp.describe('When the check entered this state')),
  reason: addition(z.string().describe('Why, as a sentence')),
  lastState: addition(z.enum(verdicts).nullable().describe('The outcome of its last run; null: none yet')),
  lastRunAt: addition(
    Timestamp.nullable().describe('When its last run was due; of a heartbeat monitor the last ping'),
  ),
  nextRunAt: addition(
    Timestamp.nullable().describe(
      'When its next run is due, of a heartbeat monitor the next ping; null: none is planned',
    ),
  ),
  staleLocations: addition(
    z
      .array(z.string())
      .describe('Locations of the check without recent runs, also while other locations run it'),
  ),
}

const CheckState = z.object(stateFields)

export type CheckState = z.output<typeof CheckState>
