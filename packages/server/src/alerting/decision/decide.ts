// Who is to be told? In: alert settings, what is remembered of a check, and runs or the hour. Out: what is remembered next,
// and at most one alert. Pure: the same for the results of today and for a backtest over those of last month.
import { type AlertSettings, type AlertType, minuteMs } from '@vedette/contracts'
import { type AlertRun, type AlertState, calmState, type DecidedLevel, type RunState } from './alert-state.ts'
import { countedStateOf, rawStateOf } from './run-state.ts'

/** Why nothing is sent although there would be something to tell. */
export type Silence = 'muted' | 'inactive' | 'maintenance'

/** `untold`: the end of something that nobody was told of. */
export type HeldBy = Silence | 'threshold' | 'parallel_threshold' | 'untold'

export type DecidedAlert =
  | { type: Exclude<AlertType, 'NO_ALERT'>; kind: 'failure' | 'degraded' | 'recovery'; heldBy: null }
  | { type: 'NO_ALERT'; kind: null; heldBy: HeldBy }

export interface Decision {
  /** Null: the check passes, and nothing need be remembered. */
  state: AlertState | null
  alert: DecidedAlert | null
  /** The number of the reminder that is due, from 0. */
  reminder: number | null
  /** When to decide again if no run comes before. */
  dueAt: number | null
}

export interface DecideOptions {
  settings: AlertSettings
  silence: Silence | null
  now: number
}

export interface Runs {
  /** In order, each newer than what was decided before. */
  runs: readonly AlertRun[]
  /** They come so late that newer ones may be on their way: what they end in is told a moment later. */
  isLate: boolean
}

const settleMs = 20_000

/** Of several runs at once only the state they end in is told. */
export function decide(
  before: AlertState | null,
  { runs, isLate }: Runs,
  { settings, silence, now }: DecideOptions,
): Decision {
  const threshold = settings.parallelRunFailureThreshold
  const first = runs[0]
  if (first === undefined) return unchanged(before, settings)
  const known = before ?? calmState(first.at)
  let state = known
  for (const run of runs) state = afterRun(state, run, countedStateOf(run, threshold))
  if (isLate) return ended({ ...state, settleAt: known.settleAt ?? now + settleMs }, null, null, settings)
  return told({ ...state, settleAt: null }, known, { settings, silence, now })
}

/** The hour has come: escalation by time, a reminder, or the end of a backlog. */
export function decideDue(before: AlertState, { settings, silence, now }: DecideOptions): Decision {
  if (before.settleAt !== null && before.settleAt <= now) {
    return told({ ...before, settleAt: null }, before, { settings, silence, now })
  }
  const escalateAt = escalationOf(before, settings)
  if (escalateAt !== null && escalateAt <= now) return told(before, before, { settings, silence, now })
  const remindAt = reminderOf(before)
  if (remindAt !== null && remindAt <= now) return reminded(before, { settings, silence, now })
  return unchanged(before, settings)
}

/** When the state wants to be looked at without a run. */
export function dueOf(state: AlertState, settings: AlertSettings): number | null {
  const times = [state.settleAt, reminderOf(state), escalationOf(state, settings)].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** While it may be over nobody is reminded; should it turn out not to be, the reminder comes then. */
function reminderOf({ state, remindAt }: AlertState): number | null {
  return state === 'passing' ? null : remindAt
}

function afterRun(before: AlertState, run: AlertRun, state: RunState): AlertState {
  const previousState = state === before.state ? before.previousState : before.state
  const after = { ...before, state, previousState, rawState: rawStateOf(run) }
  if (state === 'passing') {
    // What nobody was told of is over with it; what people believe stays until they are told otherwise.
    return { ...after, runs: 0, since: null, decided: before.isNotified ? before.decided : 'none' }
  }
  const isNew = before.state === 'passing'
  return {
    ...after,
    runs: isNew ? 1 : before.runs + 1,
    since: isNew ? run.at : before.since,
    episodeAt: isNew && !before.isNotified ? run.at : before.episodeAt,
  }
}

/** Compares what people believe with what is, and says what they must hear. */
function told(state: AlertState, before: AlertState, options: DecideOptions): Decision {
  const { settings, silence, now } = options
  const alert = alertOf(state, settings, now)
  if (alert === null) {
    const heldBy = state.rawState === before.rawState ? null : reasonToHold(state)
    return ended(state, heldBy === null ? null : held(heldBy), null, settings)
  }
  const level = levelOf[state.state]
  // What was told before is no longer how it is, so it is not repeated either.
  if (silence !== null)
    return ended({ ...state, decided: level, remindAt: null }, held(silence), null, settings)
  const { amount, interval } = settings.reminders
  const isOver = state.state === 'passing'
  const after: AlertState = {
    ...state,
    decided: level,
    isNotified: !isOver,
    remindersSent: 0,
    remindAt: amount > 0 && !isOver ? now + interval * minuteMs : null,
  }
  return ended(after, alert, null, settings)
}

const levelOf: Record<RunState, DecidedLevel> = { passing: 'none', degraded: 'degraded', failing: 'failure' }

/** The table of transitions: the code follows from what people believe and the last two runs. */
function alertOf(state: AlertState, settings: AlertSettings, now: number): DecidedAlert | null {
  const { decided, previousState } = state
  switch (state.state) {
    case 'passing':
      if (!state.isNotified) return null
      return recovery(decided === 'degraded' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY')
    case 'failing':
      if (decided === 'failure') return null
      // An escalation is sent whatever the threshold says.
      if (decided === 'degraded' || previousState === 'degraded') return failure('ALERT_DEGRADED_FAILURE')
      if (!isReached(state, settings, now)) return null
      return failure(isAtOnce(state, settings) ? 'ALERT_FAILURE' : 'ALERT_FAILURE_REMAIN')
    case 'degraded':
      if (decided === 'degraded') return null
      // So is the way back down.
      if (decided === 'failure' || previousState === 'failing') return degraded('ALERT_FAILURE_DEGRADED')
      if (!isReached(state, settings, now)) return null
      return degraded(isAtOnce(state, settings) ? 'ALERT_DEGRADED' : 'ALERT_DEGRADED_REMAIN')
  }
}

/** With the first run; what had to last before it was told remains. */
function isAtOnce({ runs }: AlertState, { escalationType }: AlertSettings): boolean {
  return runs === 1 && escalationType === 'RUN_BASED'
}

function isReached(state: AlertState, settings: AlertSettings, now: number): boolean {
  if (settings.escalationType === 'RUN_BASED') {
    return state.runs >= settings.runBasedEscalation.failedRunThreshold
  }
  const escalateAt = escalationOf(state, settings)
  return escalateAt !== null && escalateAt <= now
}

/** When an episode of which nothing was decided has lasted long enough; null where runs are counted. */
function escalationOf(state: AlertState, settings: AlertSettings): number | null {
  if (settings.escalationType !== 'TIME_BASED' || state.since === null || state.decided !== 'none')
    return null
  // What a backlog ends in is not known yet.
  if (state.settleAt !== null) return null
  return state.since + settings.timeBasedEscalation.minutesFailingThreshold * minuteMs
}

function reminded(before: AlertState, { settings, silence, now }: DecideOptions): Decision {
  const { amount, interval } = settings.reminders
  const isWanted = before.isNotified && before.remindersSent < amount
  if (!isWanted) return ended({ ...before, remindAt: null }, null, null, settings)
  // A silent reminder is not sent later, nor does it count.
  const remindAt = now + interval * minuteMs
  if (silence !== null) return ended({ ...before, remindAt }, null, null, settings)
  const remindersSent = before.remindersSent + 1
  const after = { ...before, remindersSent, remindAt: remindersSent < amount ? remindAt : null }
  return ended(after, null, before.remindersSent, settings)
}

function reasonToHold(state: AlertState): HeldBy | null {
  if (state.state === 'passing') return state.rawState === 'passing' ? 'untold' : 'parallel_threshold'
  return state.decided === 'none' ? 'threshold' : null
}

function ended(
  state: AlertState,
  alert: DecidedAlert | null,
  reminder: number | null,
  settings: AlertSettings,
): Decision {
  const isForgotten = state.rawState === 'passing' && state.state === 'passing' && state.settleAt === null
  if (isForgotten) return { state: null, alert, reminder, dueAt: null }
  const calm = state.state === 'passing' && state.settleAt === null
  const kept: AlertState = calm ? { ...state, decided: 'none', isNotified: false, remindAt: null } : state
  return { state: kept, alert, reminder, dueAt: dueOf(kept, settings) }
}

function unchanged(before: AlertState | null, settings: AlertSettings): Decision {
  return {
    state: before,
    alert: null,
    reminder: null,
    dueAt: before === null ? null : dueOf(before, settings),
  }
}

const failure = (type: Exclude<AlertType, 'NO_ALERT'>): DecidedAlert => ({
  type,
  kind: 'failure',
  heldBy: null,
})
const degraded = (type: Exclude<AlertType, 'NO_ALERT'>): DecidedAlert => ({
  type,
  kind: 'degraded',
  heldBy: null,
})
const recovery = (type: Exclude<AlertType, 'NO_ALERT'>): DecidedAlert => ({
  type,
  kind: 'recovery',
  heldBy: null,
})
const held = (heldBy: HeldBy): DecidedAlert => ({ type: 'NO_ALERT', kind: null, heldBy })
