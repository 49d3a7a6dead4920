// The state of a check, as statuses, checks, badges and metrics show it.
import { z } from 'zod'
import { addition, Timestamp } from '../core/fields.ts'

/** In order of precedence: the first that holds is the state. */
export const checkStates = ['inactive', 'maintenance', 'unknown', 'failing', 'degraded', 'passing'] as const

export type CheckStateName = (typeof checkStates)[number]

/** What a run can say about its target. */
export const verdicts = ['failing', 'degraded', 'passing'] as const

export type Verdict = (typeof verdicts)[number]

/** How many slots in a row a check may miss until its state is unknown. */
export const UnknownAfterMissedRuns = z.int().min(1).max(100)

/** Additive fields of a check and of its status. */
export const stateFields = {
  state: addition(
    z
      .enum(checkStates)
      .describe(
        'The first that holds: inactive (the check or its group is deactivated), maintenance (a window pauses its runs), ' +
          'unknown (it never ran, or missed too many runs), then what its last run said',
      ),
  ),
  since: addition(Timestamp.describe('When the check entered this state')),
  reason: addition(z.string().describe('Why, as a sentence')),
  lastState: addition(
    z.enum(verdicts).nullable().describe('What its last run said about the target; null: nothing yet'),
  ),
  lastRunAt: addition(
    Timestamp.nullable().describe('When its last run was due; of a heartbeat monitor the last ping'),
  ),
  nextRunAt: addition(
    Timestamp.nullable().describe(
      'When its next run is due, of a heartbeat monitor the next ping; null: never, as things are',
    ),
  ),
  staleLocations: addition(
    z
      .array(z.string())
      .describe('Locations of the check in which no run was made lately, also while others still run it'),
  ),
}

const CheckState = z.object(stateFields)

export type CheckState = z.output<typeof CheckState>
