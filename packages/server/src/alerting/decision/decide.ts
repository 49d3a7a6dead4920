// Decides whether people are notified. In: alert settings, the state of a check, and runs or the current time. Out: the next
// state, and at most one alert. Pure, so that backtests use it too.
import { type AlertSettings, type AlertType, minuteMs } from '@vedette/contracts'
import { type AlertRun, type AlertState, calmState, type DecidedLevel, type RunState } from './alert-state.ts'
import { countedStateOf, rawStateOf } from './run-state.ts'

/** Why an alert isn't sent. */
export type Silence = 'muted' | 'inactive' | 'maintenance'

export function silenceOf(
  { isActive, isMuted }: { isActive: boolean; isMuted: boolean },
  isInMaintenance: boolean,
): Silence | null {
  if (!isActive) return 'inactive'
  if (isMuted) return 'muted'
  return isInMaintenance ? 'maintenance' : null
}

/** `untold`: the end of an episode without a sent alert. */
export type HeldBy = Silence | 'threshold' | 'parallel_threshold' | 'untold'

interface SentAlert {
  type: Exclude<AlertType, 'NO_ALERT'>
  kind: 'failure' | 'degraded' | 'recovery'
  heldBy: null
}

export type DecidedAlert = SentAlert | { type: 'NO_ALERT'; kind: null; heldBy: HeldBy }

export interface Decision {
  /** Null: the check passes, and needs no state. */
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
  /** In order, each newer than the last decided run. */
  runs: readonly AlertRun[]
  /** A backlog: newer runs may follow, so only its final state is decided, after 20 s. */
  isLate: boolean
}

const settleMs = 20_000

/** Of several runs at once, only the final state is decided. */
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
  if (isLate)
    return toDecision({ ...state, settleAt: known.settleAt ?? now + settleMs }, null, null, settings)
  return decideAlert({ ...state, settleAt: null }, known, { settings, silence, now })
}

/** Decides what is due by the clock: an escalation by time, a reminder, or the end of a backlog. */
export function decideDue(before: AlertState, { settings, silence, now }: DecideOptions): Decision {
  if (before.settleAt !== null && before.settleAt <= now) {
    return decideAlert({ ...before, settleAt: null }, before, { settings, silence, now })
  }
  const escalateAt = escalationOf(before, settings)
  if (escalateAt !== null && escalateAt <= now) return decideAlert(before, before, { settings, silence, now })
  const remindAt = reminderOf(before)
  if (remindAt !== null && remindAt <= now) return remind(before, { settings, silence, now })
  return unchanged(before, settings)
}

/** A mute has ended: if the check still isn't passing, its channels are notified once. */
export function decideUnmuted(
  before: AlertState,
  { settings, silence, now }: DecideOptions,
  /** Whether the alert that was sent before the mute still says what is wrong. */
  isRepeated: boolean,
): Decision {
  const { state, decided, settleAt } = before
  if (state === 'passing' || decided === 'none' || settleAt !== null || silence !== null)
    return unchanged(before, settings)
  if (isRepeated) return toDecision(before, null, before.remindersSent, settings)
  return toDecision(afterAlert(before, settings, now), remainingAlerts[state], null, settings)
}

/** When the state is due for a decision without a run. */
export function dueOf(state: AlertState, settings: AlertSettings): number | null {
  const times = [state.settleAt, reminderOf(state), escalationOf(state, settings)].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** While a backlog may end the episode, reminders wait. */
function reminderOf({ state, remindAt }: AlertState): number | null {
  return state === 'passing' ? null : remindAt
}

function afterRun(before: AlertState, run: AlertRun, state: RunState): AlertState {
  const previousState = state === before.state ? before.previousState : before.state
  const after = { ...before, state, previousState, rawState: rawStateOf(run) }
  if (state === 'passing') {
    // A sent alert stays decided until its recovery is sent.
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

/** Compares the decided level with the state, and decides the alert. */
function decideAlert(state: AlertState, before: AlertState, options: DecideOptions): Decision {
  const { settings, silence, now } = options
  const alert = alertOf(state, settings, now)
  if (alert === null) {
    const heldBy = state.rawState === before.rawState ? null : reasonToHold(state)
    return toDecision(state, heldBy === null ? null : holdAlert(heldBy), null, settings)
  }
  const level = levelOf[state.state]
  // The sent alert is outdated, so it isn't repeated either.
  if (silence !== null)
    return toDecision({ ...state, decided: level, remindAt: null }, holdAlert(silence), null, settings)
  return toDecision(afterAlert({ ...state, decided: level }, settings, now), alert, null, settings)
}

function afterAlert(state: AlertState, { reminders }: AlertSettings, now: number): AlertState {
  const isOver = state.state === 'passing'
  const remindAt = reminders.amount > 0 && !isOver ? now + reminders.interval * minuteMs : null
  return { ...state, isNotified: !isOver, remindersSent: 0, remindAt }
}

const levelOf: Record<RunState, DecidedLevel> = { passing: 'none', degraded: 'degraded', failing: 'failure' }

/** The table of transitions: the code follows from the decided level and the last two states. */
function alertOf(state: AlertState, settings: AlertSettings, now: number): DecidedAlert | null {
  const { decided, previousState } = state
  switch (state.state) {
    case 'passing':
      if (!state.isNotified) return null
      return sendAlert('recovery', decided === 'degraded' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY')
    case 'failing':
      if (decided === 'failure') return null
      // An escalation ignores the threshold.
      if (decided === 'degraded' || previousState === 'degraded')
        return sendAlert('failure', 'ALERT_DEGRADED_FAILURE')
      if (!isReached(state, settings, now)) return null
      return sendAlert('failure', isAtOnce(state, settings) ? 'ALERT_FAILURE' : 'ALERT_FAILURE_REMAIN')
    case 'degraded':
      if (decided === 'degraded') return null
      // So is a de-escalation.
      if (decided === 'failure' || previousState === 'failing')
        return sendAlert('degraded', 'ALERT_FAILURE_DEGRADED')
      if (!isReached(state, settings, now)) return null
      return sendAlert('degraded', isAtOnce(state, settings) ? 'ALERT_DEGRADED' : 'ALERT_DEGRADED_REMAIN')
  }
}

/** Whether the first run triggers the alert; otherwise the state has lasted. */
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

/** When an undecided episode has lasted long enough; null if runs are counted. */
function escalationOf(state: AlertState, settings: AlertSettings): number | null {
  if (settings.escalationType !== 'TIME_BASED' || state.since === null || state.decided !== 'none')
    return null
  // The final state of the backlog isn't known yet.
  if (state.settleAt !== null) return null
  return state.since + settings.timeBasedEscalation.minutesFailingThreshold * minuteMs
}

function remind(before: AlertState, { settings, silence, now }: DecideOptions): Decision {
  const { amount, interval } = settings.reminders
  const isWanted = before.isNotified && before.remindersSent < amount
  if (!isWanted) return toDecision({ ...before, remindAt: null }, null, null, settings)
  // A silenced reminder isn't sent later, and doesn't count.
  const remindAt = now + interval * minuteMs
  if (silence !== null) return toDecision({ ...before, remindAt }, null, null, settings)
  const remindersSent = before.remindersSent + 1
  const after = { ...before, remindersSent, remindAt: remindersSent < amount ? remindAt : null }
  return toDecision(after, null, before.remindersSent, settings)
}

function reasonToHold(state: AlertState): HeldBy | null {
  if (state.state === 'passing') return state.rawState === 'passing' ? 'untold' : 'parallel_threshold'
  return state.decided === 'none' ? 'threshold' : null
}

function toDecision(
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

const sendAlert = (kind: SentAlert['kind'], type: SentAlert['type']): DecidedAlert => ({
  type,
  kind,
  heldBy: null,
})
const remainingAlerts = {
  failing: sendAlert('failure', 'ALERT_FAILURE_REMAIN'),
  degraded: sendAlert('degraded', 'ALERT_DEGRADED_REMAIN'),
}
const holdAlert = (heldBy: HeldBy): DecidedAlert => ({ type: 'NO_ALERT', kind: null, heldBy })
