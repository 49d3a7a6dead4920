// The metrics of this process, shown by GET /metrics. Without names and ids of accounts, because its readers may not see their
// checks.
import { getOrInsert } from '../core/get-or-insert.ts'
import { type Family, type Labels, type MetricType, numberText, type Sample } from './exposition.ts'

abstract class Metric {
  abstract readonly type: MetricType
  readonly name: string
  readonly help: string

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  abstract samples(): Sample[]

  family(): Family {
    return { name: this.name, help: this.help, type: this.type, samples: this.samples() }
  }
}

export class Counter extends Metric {
  readonly type = 'counter'
  private readonly values = new Map<string, { labels: Labels; value: number }>()

  add(by = 1, labels: Labels = {}): void {
    entryOf(this.values, labels, () => ({ labels, value: 0 })).value += by
  }

  samples(): Sample[] {
    return [...this.values.values()].map(({ labels, value }) => ({ labels, value }))
  }
}

export class Gauge extends Metric {
  readonly type = 'gauge'
  private readonly values = new Map<string, { labels: Labels; value: number }>()

  set(value: number, labels: Labels = {}): void {
    entryOf(this.values, labels, () => ({ labels, value })).value = value
  }

  samples(): Sample[] {
    return [...this.values.values()].map(({ labels, value }) => ({ labels, value }))
  }
}

export class Histogram extends Metric {
  readonly type = 'histogram'
  private readonly bounds: readonly number[]
  private readonly values = new Map<string, { labels: Labels; counts: number[]; sum: number }>()

  constructor(name: string, help: string, bounds: readonly number[] = seconds) {
    super(name, help)
    this.bounds = bounds
  }

  observe(value: number, labels: Labels = {}): void {
    const entry = entryOf(this.values, labels, () => ({
      labels,
      counts: new Array<number>(this.bounds.length + 1).fill(0),
      sum: 0,
    }))
    const above = this.bounds.findIndex((bound) => value <= bound)
    const index = above === -1 ? this.bounds.length : above
    entry.counts[index] = (entry.counts[index] ?? 0) + 1
    entry.sum += value
  }

  samples(): Sample[] {
    return [...this.values.values()].flatMap(({ labels, counts, sum }) =>
      histogramSamples(this.bounds, counts, sum, labels),
    )
  }
}

/** `counts` has one entry per bound and one for larger values. Buckets are cumulative, as the format requires. */
export function histogramSamples(
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
  labels: Labels,
): Sample[] {
  let total = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    total += counts[index] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: numberText(bound) }, value: total }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }]
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

function entryOf<T>(map: Map<string, T>, labels: Labels, create: () => T): T {
  return getOrInsert(map, JSON.stringify(labels), create)
}

export const metrics = {
  runsClaimed: new Counter('vedette_runs_claimed_total', 'Runs handed out to agents.'),
  runsRecorded: new Counter('vedette_runs_recorded_total', 'Results recorded, attempts included.'),
  runsRefused: new Counter('vedette_runs_refused_total', 'Reported results that were refused, by reason.'),
  runsMissed: new Counter('vedette_runs_missed_total', 'Slots without a run, by reason.'),
  runsSkipped: new Counter('vedette_runs_skipped_total', 'Slots skipped on purpose, by reason.'),
  startLag: new Histogram('vedette_run_start_lag_seconds', 'From the slot to the start of its run.'),
  ingestBatch: new Histogram('vedette_ingest_batch_seconds', 'Time to record one report of results.'),
  loopTurn: new Histogram('vedette_loop_turn_seconds', 'Time that one turn of a loop took.'),
  loopFailures: new Counter('vedette_loop_failures_total', 'Turns of a loop that failed.'),
  partitionsDropped: new Counter(
    'vedette_partitions_dropped_total',
    'Partitions dropped, by table and reason.',
  ),
  diskFree: new Gauge('vedette_disk_free_bytes', 'Free space of the file system of the embedded database.'),
  diskSize: new Gauge('vedette_disk_size_bytes', 'Size of the file system of the embedded database.'),
  diskLow: new Gauge(
    'vedette_disk_low',
    '1 while less than DISK_RESERVE_PERCENT is free: old details are dropped.',
  ),
  alertsDecided: new Counter('vedette_alerts_decided_total', 'Decided alerts, including held ones, by type.'),
  notifications: new Counter(
    'vedette_notifications_total',
    'Finished messages to alert channels, by channel type and status.',
  ),
  mails: new Counter('vedette_mails_total', 'Finished emails to subscribers and owners, by kind and status.'),
  pageWebhooks: new Counter(
    'vedette_page_webhooks_total',
    'Finished deliveries to webhooks of status pages, by status.',
  ),
  builtInAgentStarts: new Counter('vedette_built_in_agent_starts_total', 'Starts of the built-in agent.'),
}
