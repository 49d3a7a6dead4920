import { describe, expect, it } from 'vitest'
import { type DecidableResult, nextStatus, type RunStatus } from './status.ts'

const agent = { agentId: 'agent-1', agentName: 'probe-1', isBuiltIn: false }
const at = Date.UTC(2026, 10, 15)

const result = (change: Partial<DecidableResult> = {}): DecidableResult => ({
  runId: 'run-2',
  scheduledAt: at + 60_000,
  location: 'eu-west-1',
  ranAt: agent,
  resultType: 'FINAL',
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: false,
  responseTimeMs: 120,
  endedAt: at + 61_000,
  failureMessage: change.hasFailures ? 'connection refused' : null,
  ...change,
})

const status = (change: Partial<RunStatus> = {}): RunStatus => ({
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  longestRun: 200,
  shortestRun: 100,
  lastRunLocation: 'us-east-1',
  ranAt: null,
  lastCheckRunId: 'run-1',
  decidedAt: at,
  knownAt: at + 1_000,
  stateSince: at - 600_000,
  failureMessage: null,
  ...change,
})

/** The fields that every decided result sets. */
const seen = { lastRunLocation: 'eu-west-1', ranAt: agent, lastCheckRunId: 'run-2', decidedAt: at + 60_000 }

/** The fields that a result without an internal error sets. */
const known = { ...seen, knownAt: at + 61_000 }

describe('the status after a result', () => {
  it.each<[string, RunStatus | null, Partial<DecidableResult>, Partial<RunStatus>]>([
    ['the first one', null, {}, { longestRun: 120, shortestRun: 120 }],
    [
      'the first one fails',
      null,
      { hasFailures: true, responseTimeMs: null },
      { hasFailures: true, longestRun: null, shortestRun: null },
    ],
    ['passing stays passing', status(), {}, {}],
    ['passing fails', status(), { hasFailures: true }, { hasFailures: true }],
    ['passing degrades', status(), { isDegraded: true }, { isDegraded: true }],
    ['failing recovers', status({ hasFailures: true }), {}, {}],
    ['failing becomes degraded', status({ hasFailures: true }), { isDegraded: true }, { isDegraded: true }],
    ['degraded fails', status({ isDegraded: true }), { hasFailures: true }, { hasFailures: true }],
    ['failing beats degraded', status(), { hasFailures: true, isDegraded: true }, { hasFailures: true }],
    ['the longest run', status(), { responseTimeMs: 201 }, { longestRun: 201 }],
    ['the shortest run', status(), { responseTimeMs: 0 }, { shortestRun: 0 }],
    [
      'a run that never completed',
      status(),
      { hasFailures: true, responseTimeMs: null },
      { hasFailures: true },
    ],
  ])('%s', (_, previous, change, expected) => {
    const next = nextStatus(previous, result(change))
    const isFailing = expected.hasFailures === true
    const isSame =
      previous !== null &&
      previous.hasFailures === isFailing &&
      previous.isDegraded === (expected.isDegraded ?? false)
    expect(next).toEqual({
      ...status(),
      ...known,
      failureMessage: isFailing ? 'connection refused' : null,
      stateSince: isSame ? previous.stateSince : known.knownAt,
      ...expected,
    })
  })

  it.each<[string, Partial<RunStatus>]>([
    ['passing', {}],
    ['failing', { hasFailures: true }],
    ['degraded', { isDegraded: true }],
  ])('shows our own error, and that the check was %s before', (_, before) => {
    const next = nextStatus(
      status(before),
      result({ hasErrors: true, hasFailures: true, responseTimeMs: 9_999 }),
    )
    expect(next).toEqual({ ...status(before), ...seen, hasErrors: true })
  })

  it('shows an internal error of the first result, and no failure of the target', () => {
    const next = nextStatus(null, result({ hasErrors: true, hasFailures: true }))
    const nothing = { longestRun: null, shortestRun: null, knownAt: null, stateSince: null }
    expect(next).toEqual({ ...status(nothing), ...seen, hasErrors: true })
  })

  it('keeps the state of the target and its start after an internal error', () => {
    const previous = status({ hasFailures: true, failureMessage: 'status 500' })
    const next = nextStatus(previous, result({ hasErrors: true, failureMessage: 'no runtime' }))
    expect(next).toEqual({ ...previous, ...seen, hasErrors: true })
  })

  it('shows no internal error any more after a run without one', () => {
    expect(nextStatus(status({ hasErrors: true }), result())?.hasErrors).toBe(false)
  })

  it.each<[string, Partial<DecidableResult>]>([
    ['an older one', { scheduledAt: at - 60_000 }],
    ['one of the same instant', { scheduledAt: at }],
    ['an attempt that will be retried', { resultType: 'ATTEMPT' }],
    ['a cancelled one', { isCancelled: true }],
  ])('stays the very same row after %s', (_, change) => {
    const previous = status()
    const failing = { hasFailures: true, hasErrors: true, responseTimeMs: 9_999, ...change }
    expect(nextStatus(previous, result(failing))).toBe(previous)
  })

  it('does not exist after only an attempt or a cancelled run', () => {
    expect(nextStatus(null, result({ resultType: 'ATTEMPT' }))).toBeNull()
    expect(nextStatus(null, result({ isCancelled: true }))).toBeNull()
  })
})
