import type { AlertBacktest } from '@vedette/contracts'
import type { z } from 'zod'
import type { BacktestEvent, BacktestReport } from '../../alerting/backtest/backtest.ts'
import { type BacktestFigures, spreadOf, sumFigures } from '../../alerting/backtest/backtest-figures.ts'
import type { BacktestCheck } from '../../storage/alerts/backtest-results.ts'

type Serialized = z.output<typeof AlertBacktest>
type SerializedEvent = Serialized['checks'][number]['events'][number]

export interface BacktestedCheck {
  check: BacktestCheck
  report: BacktestReport
}

export function serializeBacktest(
  period: { from: number; to: number },
  backtested: readonly BacktestedCheck[],
  matchingChecks: number,
): Serialized {
  const earliest = backtested.map(({ report }) => report.resultsFrom).filter((at) => at !== null)
  return {
    from: timestamp(period.from),
    to: timestamp(period.to),
    resultsFrom: earliest.length === 0 ? null : timestamp(Math.min(...earliest)),
    matchingChecks,
    totals: serializeFigures(sumFigures(backtested.map(({ report }) => report.figures))),
    checks: backtested.map(serializeCheck),
  }
}

function serializeCheck({ check, report }: BacktestedCheck): Serialized['checks'][number] {
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.checkType,
    resultsFrom: report.resultsFrom === null ? null : timestamp(report.resultsFrom),
    ...serializeFigures(report.figures),
    events: report.events.map(serializeEvent),
    reminders: report.reminders.map(timestamp),
    removed: report.removed.map(({ type, kind, at, scheduledAt }) => ({
      type,
      kind,
      at: timestamp(at),
      scheduledAt: timestamp(scheduledAt),
    })),
    truncated: report.isTruncated,
  }
}

function serializeFigures(figures: BacktestFigures): Serialized['totals'] {
  const { failingMs, degradedMs, delays, ...counts } = figures
  return {
    ...counts,
    failingMinutes: minutes(failingMs),
    degradedMinutes: minutes(degradedMs),
    detectionDelay: spreadOf(delays),
  }
}

function serializeEvent({
  at,
  scheduledAt,
  episodeAt,
  location,
  sentAt,
  ...event
}: BacktestEvent): SerializedEvent {
  return {
    ...event,
    heldBy: heldByOf(event),
    at: timestamp(at),
    scheduledAt: timestamp(scheduledAt),
    episodeAt: timestamp(episodeAt),
    runLocation: location,
    sentAt: sentAt === null ? null : timestamp(sentAt),
  }
}

/** In a backtest only maintenance silences alerts. */
function heldByOf({ heldBy }: Pick<BacktestEvent, 'heldBy'>): SerializedEvent['heldBy'] {
  return heldBy === 'muted' || heldBy === 'inactive' ? 'maintenance' : heldBy
}

/** Two decimals. */
const minutes = (ms: number) => Math.round(ms / 600) / 100

const timestamp = (ms: number) => new Date(ms).toISOString()
