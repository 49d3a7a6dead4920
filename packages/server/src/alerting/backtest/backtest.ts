// What alert settings would have done for one check. In: its results in the order of their slots, and what people were told
// then. Out: what they would have been told, and how good that is. Pure, and in pieces: a month need not be in memory.
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
  /** Null: held back. */
  kind: ComparedAlert['kind'] | null
  heldBy: HeldBy | null
  at: number
  scheduledAt: number
  episodeAt: number
  location: string
  /** When people were really told; null: they were not. */
  sentAt: number | null
}

type ToldEvent = BacktestEvent & { kind: ComparedAlert['kind'] }

export interface BacktestOptions extends Omit<ReplayOptions, 'until'> {
  /** What is decided from here on counts. Results before only show what was going on already. */
  from: number
  to: number
  /** Of the period and around it: what is told at its edge may have been told just across. */
  sent: readonly SentAlert[]
  /** How many of each list are wanted. */
  listed: number
}

export interface BacktestReport {
  /** The first result of the period. */
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
  const told: ToldEvent[] = []
  const held: BacktestEvent[] = []
  const reminders: number[] = []
  const found: { first: number | null; inPeriod: number | null } = { first: null, inPeriod: null }
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
    told.push(event)
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

  /** Until the next run a check is what its last run was. */
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
      found.first ??= results[0]?.scheduledAt ?? null
      found.inPeriod ??= results.find(({ scheduledAt }) => scheduledAt >= from)?.scheduledAt ?? null
      for (const run of order.add(results)) replay.take(run)
    },
    end() {
      for (const run of order.end()) replay.take(run)
      replay.end()
      countTime(to)
      // Nobody knows yet whether it would be missed.
      if (episode !== null) figures.episodes += 1
      const pairs = pairWithSent(told, options.sent)
      const inPeriod = told.filter(({ at }) => at >= from)
      for (const event of inPeriod) {
        const sent = pairs.get(event)
        event.sentAt = sent?.at ?? null
        const isSame = sent?.scheduledAt === event.scheduledAt
        figures.difference[sent === undefined ? 'added' : isSame ? 'same' : 'moved'] += 1
      }
      const removed = removedOf(new Set(pairs.values()), options, found.first)
      figures.difference.removed = removed.length
      const events = [...inPeriod.slice(0, listed), ...held.slice(0, Math.max(0, listed - inPeriod.length))]
      return {
        resultsFrom: found.inPeriod,
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

/** Of what was told of runs whose results are not kept any more, nothing can be said. */
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
