// Builds the Prometheus metrics of an account from its checks and their results of this hour. Pure.
import {
  type CheckStateName,
  type CheckType,
  checkStates,
  checkTypeNames,
  definitionOf,
} from '@vedette/contracts'
import type { MeasuredCheck, ResultCount, TimingBucket } from '../storage/accounts/account-metrics.ts'
import type { Family, Labels, Sample } from './exposition.ts'
import { labelsOf } from './metric-labels.ts'
import { histogramSamples } from './metrics.ts'

/** Seconds. Few bounds, because each adds a line per check and phase. */
export const timingBounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface AccountFacts {
  checks: (MeasuredCheck & { state: CheckStateName })[]
  counts: ResultCount[]
  timings: TimingBucket[]
}

export function checkFamilies({ checks, counts, timings }: AccountFacts, parseTags: boolean): Family[] {
  const labels = new Map(checks.map((check) => [check.id, labelsOf(check, parseTags)]))
  const types = new Map(checks.map((check) => [check.id, check.checkType]))
  const of = (checkId: string, more: Record<string, string | null> = {}): Labels => {
    const all: Record<string, string> = { ...labels.get(checkId) }
    for (const [name, value] of Object.entries(more)) if (value !== null) all[name] = value
    return all
  }
  const gauge = (name: string, help: string, value: (check: MeasuredCheck) => number | null): Family => ({
    name,
    help,
    type: 'gauge',
    samples: checks.flatMap((check) => {
      const number = value(check)
      return number === null ? [] : [{ labels: of(check.id), value: number }]
    }),
  })
  return [
    {
      name: 'vedette_check_status',
      help: 'Whether a check is passing, degraded or failing. None of them is 1 while it does not run.',
      type: 'gauge',
      samples: checks.flatMap(({ id, hasFailures, state }) => {
        if (hasFailures === null) return []
        return ['passing', 'degraded', 'failing'].map((status) => ({
          labels: of(id, { status }),
          value: status === state ? 1 : 0,
        }))
      }),
    },
    {
      name: 'vedette_check_state',
      help: 'The state of a check: inactive, maintenance, unknown, failing, degraded or passing. One of them is 1.',
      type: 'gauge',
      samples: checks.flatMap((check) =>
        checkStates.map((state) => ({
          labels: of(check.id, { state }),
          value: state === check.state ? 1 : 0,
        })),
      ),
    },
    {
      name: 'vedette_check_result_total',
      help: 'Results since the full hour, by status.',
      type: 'counter',
      samples: counts.map(({ checkId, location, status, total }) => ({
        labels: of(checkId, { status, location }),
        value: total,
      })),
    },
    ...checkTypeNames.flatMap((type): Family[] => {
      const name = definitionOf(type).timingMetric
      if (name === null) return []
      const ofType = timings.filter(({ checkId }) => types.get(checkId) === type)
      return [
        {
          name,
          help: 'Times of the results since the full hour, by phase.',
          type: 'histogram',
          samples: histograms(ofType, type, of),
        },
      ]
    }),
    gauge(
      'vedette_heartbeat_last_success_timestamp_seconds',
      'When the last ping arrived.',
      ({ lastPingAt }) => (lastPingAt === null ? null : Date.parse(lastPingAt) / 1000),
    ),
    gauge('vedette_heartbeat_expected_interval_seconds', 'How often pings are expected.', (check) =>
      check.heartbeatPeriodMs === null ? null : check.heartbeatPeriodMs / 1000,
    ),
    gauge('vedette_time_to_ssl_expiry_seconds', 'How long the certificate is still valid.', (check) =>
      check.sslDaysRemaining === null ? null : check.sslDaysRemaining * 86_400,
    ),
  ]
}

type LabelsOf = (checkId: string, more: Record<string, string | null>) => Labels

function histograms(timings: TimingBucket[], type: CheckType, labelsOfCheck: LabelsOf): Sample[] {
  const times = Object.entries(definitionOf(type).metrics).filter(([, { unit }]) => unit === 'milliseconds')
  const names = new Map(times.map(([name, { index }]) => [index, name]))
  const groups = Map.groupBy(timings, ({ checkId, location, metric }) => `${checkId} ${location} ${metric}`)
  return [...groups.values()].flatMap((buckets) => {
    const [first] = buckets
    const phase = first && names.get(first.metric)
    if (first === undefined || phase === undefined) return []
    const counts = new Array<number>(timingBounds.length + 1).fill(0)
    let sumMs = 0
    for (const { bucket, total, sum } of buckets) {
      counts[bucket] = total
      sumMs += sum
    }
    return histogramSamples(
      timingBounds,
      counts,
      sumMs / 1000,
      labelsOfCheck(first.checkId, { location: first.location, phase }),
    )
  })
}
