import {
  type BodyOf,
  backtestAlertSettings,
  backtestLimits,
  backtestPeriod,
  backtestPeriodIssues,
  hourMs,
  invalidInput,
} from '@vedette/contracts'
import { type BacktestOptions, startBacktest } from '../../alerting/backtest/backtest.ts'
import { matchTags } from '../../dispatch/match-tags.ts'
import {
  type BacktestCheck,
  backtestStarts,
  countStateChanges,
  listBacktestChecks,
  listSentAlerts,
  type ResultSpan,
  readFinalResults,
} from '../../storage/alerts/backtest-results.ts'
import { listSilences } from '../../storage/checks/maintenance.ts'
import type { Pool } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { readBudget } from './read-budget.ts'
import { type BacktestedCheck, serializeBacktest } from './serialize-backtest.ts'

type Body = BodyOf<typeof backtestAlertSettings>

const { checks: maxChecks, results: maxResults, events: maxEvents, eventsPerCheck } = backtestLimits

export function alertBacktestRoutes({ store: { pool }, clock }: Deps): Mounted[] {
  return [
    handle(backtestAlertSettings, async ({ account, body, signal }) => {
      const period = backtestPeriod(body, clock.now())
      const issues = backtestPeriodIssues(period)
      if (issues.length > 0) throw invalidInput(issues)
      const { checks, matching } = await chooseChecks(pool, account.id, body.target, period)
      const checkIds = checks.map(({ id }) => id)
      const starts = await backtestStarts(pool, account.id, checkIds, period.from)
      const keys = checkIds.map((checkId) => ({ accountId: account.id, checkId }))
      const silences = await listSilences(pool, keys, Math.min(period.from, ...starts.values()), period.to)
      const listed = Math.min(eventsPerCheck, Math.floor(maxEvents / Math.max(1, checks.length)))
      // Each read yields to other requests, so the event loop is blocked for one chunk at most.
      const onRead = readBudget(maxResults, 'target', signal)
      const done: BacktestedCheck[] = []
      for (const check of checks) {
        const start = starts.get(check.id) ?? period.from
        const options = {
          ...period,
          settings: body.alertSettings,
          silences: silences.get(check.id) ?? [],
          listed,
        }
        const span = { accountId: account.id, checkId: check.id, from: start, to: period.to }
        done.push({ check, report: await backtest(pool, span, options, onRead) })
      }
      return serializeBacktest(period, done, matching)
    }),
  ]
}

async function chooseChecks(
  pool: Pool,
  accountId: string,
  target: Body['target'],
  period: { from: number; to: number },
): Promise<{ checks: BacktestCheck[]; matching: number }> {
  // choice: an empty list isn't a condition, as in sessions.
  const ids = target.checkId?.length ? target.checkId : undefined
  const checks = (await listBacktestChecks(pool, accountId, ids)).filter(
    ({ tags, usesAccountSettings }) =>
      matchTags(target.matchTags, tags) && (usesAccountSettings || !target.usesAccountSettings),
  )
  const matching = checks.length
  if (matching <= maxChecks) return { checks, matching }
  if (!target.usesAccountSettings) {
    const message = `must choose at most ${maxChecks} checks, but ${matching} match`
    throw invalidInput([{ path: ['target'], message }])
  }
  // Settings make no difference for checks whose state didn't change.
  const changes = await countStateChanges(pool, accountId, period)
  const changesOf = ({ id }: BacktestCheck) => changes.get(id) ?? 0
  const busiest = checks.toSorted((a, b) => changesOf(b) - changesOf(a)).slice(0, maxChecks)
  return { checks: busiest, matching }
}

/** Alerts of the period may have been sent shortly after it. */
const sentLaterMs = hourMs

async function backtest(
  pool: Pool,
  span: ResultSpan,
  options: Omit<BacktestOptions, 'sent'>,
  onRead: (count: number) => void,
) {
  const sent = await listSentAlerts(pool, { ...span, to: span.to + sentLaterMs })
  const run = startBacktest({ ...options, sent })
  for await (const results of readFinalResults(pool, span)) {
    onRead(results.length)
    run.add(results)
  }
  return run.end()
}
