import type { AlertBacktest } from '@vedette/contracts'
import type { z } from 'zod'
import type { BacktestEvent, BacktestReport } from '../../alerting/backtest/backtest.ts'
import { type BacktestFigures, spreadOf, sumFigures } from '../../alerting/backtest/backtest-figures.ts'
import type { BacktestCheck } from '../../storage/alerts/backtest-results.ts'

type Presented = z.output<typeof AlertBacktest>
type PresentedEvent = Presented['checks'][number]['events'][number]

export interface BacktestedCheck {
  check: BacktestCheck
  report: BacktestReport
}

export function presentBacktest(
  period: { from: number; to: number },
  backtested: readonly BacktestedCheck[],
): Presented {
  const earliest = backtested.map(({ report }) => report.resultsFrom).filter((at) => at !== null)
  return {
    from: timestamp(period.from),
    to: timestamp(period.to),
    resultsFrom: earliest.length === 0 ? null : timestamp(Math.min(...earliest)),
    totals: presentFigures(sumFigures(backtested.map(({ report }) => report.figures))),
    checks: backtested.map(presentCheck),
  }
}

function presentCheck({ check, report }: BacktestedCheck): Presented['checks'][number] {
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.checkType,
    resultsFrom: report.resultsFrom === null ? null : timestamp(report.resultsFrom),
    ...presentFigures(report.figures),
    events: report.events.map(presentEvent),
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

function presentFigures(figures: BacktestFigures): Presented['totals'] {
  const { failingMs, degradedMs, delays, ...counts } = figures
  return {
    ...counts,
    failingMinutes: minutes(failingMs),
    degradedMinutes: minutes(degradedMs),
    detectionDelay: spreadOf(delays),
  }
}

function presentEvent({
  at,
  scheduledAt,
  episodeAt,
  location,
  sentAt,
  ...event
}: BacktestEvent): PresentedEvent {
  return {
    ...event,
    // A backtest knows of no other silence than maintenance.
    heldBy: event.heldBy as PresentedEvent['heldBy'],
    at: timestamp(at),
    scheduledAt: timestamp(scheduledAt),
    episodeAt: timestamp(episodeAt),
    runLocation: location,
    sentAt: sentAt === null ? null : timestamp(sentAt),
  }
}

/** To the hundredth. */
const minutes = (ms: number) => Math.round(ms / 600) / 100

const timestamp = (ms: number) => new Date(ms).toISOString()
