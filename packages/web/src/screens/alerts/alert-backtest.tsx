// What alert settings would have sent, beside what today's would have: both are applied to the stored results.
import './alert-backtest.css'
import { useQuery } from '@tanstack/react-query'
import type { AlertSettings } from '@vedette/contracts'
import { useState } from 'react'
import { Link } from 'wouter'
import { call, type ResponseTo } from '../../api/call.ts'
import { formatCount, formatExact, formatNumberOf, formatSpan } from '../../core/format.ts'
import { useDebounced } from '../../core/use-debounced.ts'
import { isSame } from '../../forms/values.ts'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { useTimeOptions } from '../../parts/time.tsx'
import { BacktestEvents } from './backtest-events.tsx'

type Backtest = ResponseTo<'POST /v1/alert-settings/backtest'>
type Figures = Backtest['totals']

export interface BacktestTarget {
  checkId?: string[]
  matchTags?: string[][]
  /** Only checks that use the alert settings of the account. */
  usesAccountSettings?: boolean
}

interface AlertBacktestProps {
  /** As they are in the form. */
  settings: AlertSettings
  /** As they are stored; null: there are none yet. */
  saved: AlertSettings | null
  target: BacktestTarget
}

const typingMs = 500
const dayMs = 86_400_000
const ranges = [
  { days: 1, label: '24 h' },
  { days: 7, label: '7 d' },
  { days: 30, label: '30 d' },
] as const

export function AlertBacktest({ settings, saved, target }: AlertBacktestProps) {
  const [days, setDays] = useState<number>(7)
  const settled = useDebounced(settings, typingMs)
  const before = useBacktest(saved, target, days)
  const after = useBacktest(settled, target, days)
  const isUnchanged = saved !== null && isSame(saved, settled)
  const error = after.error ?? before.error
  return (
    <section className="panel backtest" aria-label="Backtest">
      <header className="section-head">
        <h2>What these settings would have sent</h2>
        <fieldset className="backtest-ranges">
          <legend className="unseen">Range of the backtest</legend>
          {ranges.map((range) => (
            <button
              key={range.days}
              type="button"
              className="chip"
              aria-pressed={range.days === days}
              onClick={() => setDays(range.days)}
            >
              {range.label}
            </button>
          ))}
        </fieldset>
      </header>
      {error !== null && after.data === undefined ? (
        <Failure
          what="The backtest"
          error={error}
          onRetry={() => {
            void before.refetch()
            void after.refetch()
          }}
        />
      ) : after.data === undefined ? (
        <FirstLoad rows={4} />
      ) : (
        <Outcome
          before={saved === null ? null : (before.data ?? null)}
          after={after.data}
          isUnchanged={isUnchanged}
          isOld={after.isFetching || settled !== settings}
        />
      )}
    </section>
  )
}

function useBacktest(alertSettings: AlertSettings | null, target: BacktestTarget, days: number) {
  return useQuery({
    queryKey: ['backtest', target, days, alertSettings],
    enabled: alertSettings !== null,
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) =>
      call(
        'POST /v1/alert-settings/backtest',
        {
          body: {
            alertSettings: alertSettings ?? {},
            target,
            from: new Date(Date.now() - days * dayMs).toISOString(),
          },
        },
        signal,
      ),
  })
}

interface OutcomeProps {
  before: Backtest | null
  after: Backtest
  isUnchanged: boolean
  isOld: boolean
}

function Outcome({ before, after, isUnchanged, isOld }: OutcomeProps) {
  const options = useTimeOptions()
  if (after.checks.length === 0)
    return (
      <p className="muted-text">No check uses these settings yet, so there is nothing to apply them to.</p>
    )
  if (after.resultsFrom === null)
    return (
      <p className="muted-text">
        There are no results in this range. Once checks have run, this shows what would have been sent.
      </p>
    )
  const startsLate = Date.parse(after.resultsFrom) - Date.parse(after.from) > dayMs
  return (
    <div className={isOld ? 'stack stale' : 'stack'} aria-busy={isOld}>
      <p role="status">{sentenceOf(before, after, isUnchanged)}</p>
      <TotalsTable before={before?.totals ?? null} after={after.totals} />
      <CheckTable before={before} after={after} />
      <p className="hint">
        {after.matchingChecks > after.checks.length &&
          `Of ${formatNumberOf(after.matchingChecks, 'check')}, these are the ${after.checks.length} with the most changes of state. `}
        {startsLate && `Results begin ${formatExact(Date.parse(after.resultsFrom), options)}. `}
        Nothing is sent. Maintenance windows apply as they are now; muted times don’t.
      </p>
    </div>
  )
}

function sentenceOf(before: Backtest | null, after: Backtest, isUnchanged: boolean): string {
  const now = messagesOf(after.totals)
  const range = `in this range, for ${formatNumberOf(after.checks.length, 'check')}`
  if (before === null || isUnchanged) return `${formatNumberOf(now, 'message')} ${range}.`
  const difference = now - messagesOf(before.totals)
  if (difference === 0) return `${formatNumberOf(now, 'message')} ${range}: as many as with today’s settings.`
  return `${formatNumberOf(now, 'message')} ${range}: ${formatCount(Math.abs(difference))} ${difference < 0 ? 'fewer' : 'more'} than with today’s settings.`
}

function messagesOf({ alerts }: Figures): number {
  return alerts.failure + alerts.degraded + alerts.recovery + alerts.reminder
}

const rows: { label: string; hint: string; figureOf(figures: Figures): number }[] = [
  { label: 'Failure alerts', hint: 'a check fails', figureOf: ({ alerts }) => alerts.failure },
  { label: 'Degraded alerts', hint: 'a check is slow', figureOf: ({ alerts }) => alerts.degraded },
  { label: 'Recoveries', hint: 'it passes again', figureOf: ({ alerts }) => alerts.recovery },
  { label: 'Reminders', hint: 'it still fails', figureOf: ({ alerts }) => alerts.reminder },
  { label: 'Held back', hint: 'changes of which nobody is notified', figureOf: ({ alerts }) => alerts.held },
  { label: 'False alarms', hint: 'the very next run passed', figureOf: ({ falseAlarms }) => falseAlarms },
  {
    label: 'Missed episodes',
    hint: 'ended before anyone was notified',
    figureOf: ({ missedEpisodes }) => missedEpisodes,
  },
]

function TotalsTable({ before, after }: { before: Figures | null; after: Figures }) {
  return (
    <TableBox label="Totals of the backtest">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Total</th>
            {before && (
              <th scope="col" className="num">
                Today’s
              </th>
            )}
            <th scope="col" className="num">
              These
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, hint, figureOf }) => (
            <tr key={label}>
              <th scope="row">
                {label} <small className="hint">{hint}</small>
              </th>
              {before && <td className="num">{formatCount(figureOf(before))}</td>}
              <td className="num">
                <Changed before={before && figureOf(before)} after={figureOf(after)} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              Time to the alert <small className="hint">median, from the first failed run</small>
            </th>
            {before && <td className="num">{delayOf(before)}</td>}
            <td className="num">{delayOf(after)}</td>
          </tr>
        </tbody>
      </table>
    </TableBox>
  )
}

/** Bold and with its difference where the settings make one. */
function Changed({ before, after }: { before: number | null; after: number }) {
  if (before === null || before === after) return formatCount(after)
  const difference = after - before
  return (
    <strong>
      {formatCount(after)} ({difference > 0 ? '+' : '−'}
      {formatCount(Math.abs(difference))})
    </strong>
  )
}

function delayOf({ detectionDelay }: Figures): string {
  return detectionDelay === null ? '–' : formatSpan(detectionDelay.median)
}

function CheckTable({ before, after }: { before: Backtest | null; after: Backtest }) {
  const [openId, setOpenId] = useState<string | null>(null)
  const beforeOf = new Map(before?.checks.map((check) => [check.checkId, check]))
  const noisy = after.checks
    .filter((check) => {
      const today = beforeOf.get(check.checkId)
      return messagesOf(check) + check.alerts.held > 0 || (today !== undefined && messagesOf(today) > 0)
    })
    .toSorted((a, b) => messagesOf(b) - messagesOf(a))
  const quiet = after.checks.length - noisy.length
  return (
    <>
      {noisy.length > 0 && (
        <TableBox label="Backtest per check">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Check</th>
                {before && (
                  <th scope="col" className="num">
                    Today’s
                  </th>
                )}
                <th scope="col" className="num">
                  These
                </th>
                <th scope="col">
                  <span className="unseen">Messages</span>
                </th>
              </tr>
            </thead>
            {noisy.map((check) => {
              const today = beforeOf.get(check.checkId)
              const isOpen = openId === check.checkId
              return (
                <tbody key={check.checkId}>
                  <tr>
                    <th scope="row">
                      <Link href={`/checks/${check.checkId}?tab=alerts`}>{check.name}</Link>
                    </th>
                    {before && (
                      <td className="num">{today === undefined ? '–' : formatCount(messagesOf(today))}</td>
                    )}
                    <td className="num">
                      <Changed
                        before={today === undefined ? null : messagesOf(today)}
                        after={messagesOf(check)}
                      />
                    </td>
                    <td className="num">
                      <button
                        type="button"
                        className="button quiet"
                        aria-expanded={isOpen}
                        onClick={() => setOpenId(isOpen ? null : check.checkId)}
                      >
                        {isOpen ? 'Hide' : 'Show'} messages
                        <span className="unseen"> of {check.name}</span>
                      </button>
                    </td>
                  </tr>
                  {isOpen && (
                    <tr>
                      <td colSpan={before ? 4 : 3}>
                        <BacktestEvents check={check} />
                      </td>
                    </tr>
                  )}
                </tbody>
              )
            })}
          </table>
        </TableBox>
      )}
      {quiet > 0 && (
        <p className="hint">{formatNumberOf(quiet, 'check')} without any message in this range.</p>
      )}
    </>
  )
}
