// Replays alert settings over the stored results of one check. In: results in the order of their slots, and the alerts that
// were sent. Out: the alerts that the settings would have sent, and figures. Pure, and incremental: a month needn't fit in memory.
import type { AlertType } from '@vedette/contracts'
import type { RunState } from '../decision/alert-state.ts'
import type { HeldBy } from '../decision/decide.ts'
import { rawStateOf } from '../decision/run-state.ts'
import { type BacktestFigures, noFigures } from './backtest-figures.ts'
import { type BacktestResult, type CompleteRun, orderRuns } from './backtest-runs.ts'
import { type ReplayOptions, type ReplayStep, startReplay } from './replay.ts'
import { type ComparedAlert, pairWithSent } from './sent-difference.ts'

export interface SentAlert extends ComparedAlert {
  type: AlertType
  at: number
}

export interface BacktestEvent {
  type: AlertType
  /** Null if the alert is held back. */
  kind: ComparedAlert['kind'] | null
  heldBy: HeldBy | null
  at: number
  scheduledAt: number
  episodeAt: number
  location: string
  /** When the same alert was really sent; null if it wasn't. */
  sentAt: number | null
}

type SentEvent = BacktestEvent & { kind: ComparedAlert['kind'] }

export interface BacktestOptions extends Omit<ReplayOptions, 'until'> {
  /** Decisions from here on count. Earlier results only establish the state. */
  from: number
  to: number
  /** Sent alerts of the period and around it: an alert at the edge may have been sent just outside. */
  sent: readonly SentAlert[]
  /** The limit of each list. */
  listed: number
}

export interface BacktestReport {
  /** When the first result of the period was scheduled. */
  resultsFrom: number | null
  figures: BacktestFigures
  events: BacktestEvent[]
  reminders: number[]
  removed: SentAlert[]
  isTruncated: boolean
}

export interface Backtest {
  add(results: readonly BacktestResult[]): void
  end(): BacktestReport
}

export function startBacktest(options: BacktestOptions): Backtest {
  const { from, to, settings, listed } = options
  const figures = noFigures()
  const order = orderRuns(settings.parallelRunFailureThreshold)
  const replay = startReplay({ ...options, until: to }, onStep)
  const sentEvents: SentEvent[] = []
  const held: BacktestEvent[] = []
  const reminders: number[] = []
  let firstResultAt: number | null = null
  let resultsFrom: number | null = null
  let last: { at: number; state: RunState } | null = null
  let episode: { beganAt: number; isNotified: boolean } | null = null
  let isJustOpened = false

  function onStep({ at, run, isByRun, before, decision }: ReplayStep): void {
    const isCounted = at >= from
    if (isByRun) onRun(run, isCounted)
    if (isByRun && isJustOpened) {
      isJustOpened = false
      if (decision.state === null || decision.state.state === 'passing') figures.falseAlarms += 1
    }
    if (decision.reminder !== null && isCounted) {
      figures.alerts.reminder += 1
      if (reminders.length < listed) reminders.push(at)
    }
    const { alert } = decision
    if (alert === null) return
    const episodeAt = decision.state?.episodeAt ?? before?.episodeAt ?? run.at
    const event = { ...alert, at, scheduledAt: run.at, episodeAt, location: run.location, sentAt: null }
    if (event.kind === null) {
      if (!isCounted) return
      figures.alerts.held += 1
      if (held.length < listed) held.push(event)
      return
    }
    sentEvents.push(event)
    if (isCounted) figures.alerts[event.kind] += 1
    if (event.kind !== 'recovery' && before?.isNotified !== true) onOpened(at, isCounted)
  }

  function onRun(run: CompleteRun, isCounted: boolean): void {
    countTime(run.at)
    const state = rawStateOf(run)
    last = { at: run.at, state }
    if (isCounted) {
      figures.runs += 1
      figures.results += run.locations
    }
    if (state !== 'passing') {
      episode ??= { beganAt: run.at, isNotified: false }
      return
    }
    if (episode !== null && isCounted) {
      figures.episodes += 1
      if (!episode.isNotified) figures.missedEpisodes += 1
    }
    episode = null
  }

  /** Until the next run, a check has the state of its last run. */
  function countTime(until: number): void {
    if (last === null || last.state === 'passing') return
    const spent = Math.max(0, Math.min(until, to) - Math.max(last.at, from))
    figures[last.state === 'failing' ? 'failingMs' : 'degradedMs'] += spent
  }

  function onOpened(at: number, isCounted: boolean): void {
    isJustOpened = isCounted
    if (episode === null || episode.isNotified) return
    episode.isNotified = true
    if (isCounted) figures.delays.push(at - episode.beganAt)
  }

  return {
    add(results) {
      firstResultAt ??= results[0]?.scheduledAt ?? null
      resultsFrom ??= results.find(({ scheduledAt }) => scheduledAt >= from)?.scheduledAt ?? null
      for (const run of order.add(results)) replay.add(run)
    },
    end() {
      for (const run of order.end()) replay.add(run)
      replay.end()
      countTime(to)
      // The episode is still open, so it doesn't count as missed.
      if (episode !== null) figures.episodes += 1
      const pairs = pairWithSent(sentEvents, options.sent)
      const inPeriod = sentEvents.filter(({ at }) => at >= from)
      for (const event of inPeriod) {
        const sent = pairs.get(event)
        event.sentAt = sent?.at ?? null
        const isSame = sent?.scheduledAt === event.scheduledAt
        figures.difference[sent === undefined ? 'added' : isSame ? 'same' : 'moved'] += 1
      }
      const removed = removedOf(new Set(pairs.values()), options, firstResultAt)
      figures.difference.removed = removed.length
      const events = [...inPeriod.slice(0, listed), ...held.slice(0, Math.max(0, listed - inPeriod.length))]
      return {
        resultsFrom,
        figures,
        events: events.sort((a, b) => a.at - b.at),
        reminders,
        removed: removed.slice(0, listed),
        isTruncated:
          Math.max(inPeriod.length + figures.alerts.held, figures.alerts.reminder, removed.length) > listed,
      }
    },
  }
}

/** Alerts of runs whose results are deleted can't be compared, so they don't count as removed. */
function removedOf(
  paired: ReadonlySet<SentAlert>,
  { sent, from, to }: BacktestOptions,
  knownFrom: number | null,
): SentAlert[] {
  if (knownFrom === null) return []
  return sent.filter(
    (alert) => alert.at >= from && alert.at < to && alert.scheduledAt >= knownFrom && !paired.has(alert),
  )
}
