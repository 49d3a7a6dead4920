// GET /metrics: the counters of this process, and its current state. Nothing about accounts.
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { locationKeyOf } from '../schedule/queue.ts'
import { countWaitingNotifications } from '../storage/alerts/notification-log.ts'
import type { Pool } from '../storage/core/db.ts'
import { countAgents } from '../storage/runs/agents.ts'
import { listQueues } from '../storage/runs/private-location-metrics.ts'
import { countServers } from '../storage/runs/servers.ts'
import { capacityFamilies, regionOf } from './capacity-metrics.ts'
import { type Family, type Labels, renderExposition } from './exposition.ts'
import { metrics } from './metrics.ts'

export interface ServerMetrics {
  read(now: number): Promise<string>
}

/** Each measurement wakes an idle server. */
const measuredEveryMs = 250

export function serverMetrics(pool: Pool): ServerMetrics {
  const delay = monitorEventLoopDelay({ resolution: measuredEveryMs })
  delay.enable()
  const readCapacity = capacityFamilies(pool)
  return {
    async read(now) {
      const own = Object.values(metrics).map((metric) => metric.family())
      const families = [...own, ...(await processFamilies()), ...poolFamilies(pool)]
      for (const quantile of [50, 99]) {
        // Node measures from one wake-up to the next.
        const delayMs = delay.count === 0 ? 0 : delay.percentile(quantile) / 1e6 - measuredEveryMs
        families.push(
          gauge(
            `vedette_event_loop_delay_p${quantile}_seconds`,
            'Delay of the event loop since the last scrape.',
            [[{}, Math.max(0, delayMs) / 1000]],
          ),
        )
      }
      delay.reset()
      // If the database is down, the other metrics are still shown.
      const stored = await Promise.all([storeFamilies(pool, now), readCapacity(now)]).catch(() => null)
      families.push(
        gauge('vedette_store_up', 'Whether the database responds.', [[{}, stored === null ? 0 : 1]]),
      )
      return renderExposition([...families, ...(stored ?? []).flat()])
    },
  }
}

async function processFamilies(): Promise<Family[]> {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const openFiles = await readdir('/proc/self/fd').catch(() => [])
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of this process.',
      type: 'counter',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Memory of this process.', [[{}, rss]]),
    gauge('process_start_time_seconds', 'When this process started.', [
      [{}, Math.round(performance.timeOrigin) / 1000],
    ]),
    gauge('process_open_fds', 'Open files and sockets.', [[{}, openFiles.length]]),
    gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript objects.', [[{}, heapUsed]]),
  ]
}

function poolFamilies({ totalCount, idleCount, waitingCount, options }: Pool): Family[] {
  return [
    gauge('vedette_store_connections', 'Connections to PostgreSQL, by state.', [
      [{ state: 'idle' }, idleCount],
      [{ state: 'busy' }, totalCount - idleCount],
    ]),
    gauge('vedette_store_connections_max', 'Maximum number of connections (DATABASE_POOL_SIZE).', [
      [{}, options.max ?? 0],
    ]),
    gauge('vedette_store_waiting', 'Callers that wait for a connection.', [[{}, waitingCount]]),
  ]
}

async function storeFamilies(pool: Pool, now: number): Promise<Family[]> {
  const queues = await listQueues(pool, now)
  const regions = Map.groupBy(queues, ({ queue }) => regionOf(locationKeyOf(queue)))
  const perRegion = (value: (entries: typeof queues) => number): [Labels, number][] =>
    [...regions].map(([region, entries]) => [{ region }, value(entries)])
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return [
    gauge(
      'vedette_queue_waiting',
      'Runs that are due and not claimed.',
      perRegion((entries) => sum(entries.map(({ waiting }) => waiting))),
    ),
    gauge(
      'vedette_queue_in_progress',
      'Runs that agents have claimed.',
      perRegion((entries) => sum(entries.map(({ inProgress }) => inProgress))),
    ),
    gauge(
      'vedette_queue_oldest_seconds',
      'How long the oldest run that is due has waited.',
      perRegion((entries) => Math.max(...entries.map(({ oldestMs }) => oldestMs)) / 1000),
    ),
    gauge(
      'vedette_agents',
      'Agents that are connected, by kind.',
      (await countAgents(pool, now)).map(({ kind, total }) => [{ kind }, total]),
    ),
    gauge('vedette_notifications_waiting', 'Messages to alert channels that are still to be delivered.', [
      [{}, await countWaitingNotifications(pool)],
    ]),
    gauge('vedette_servers', 'Server processes on this database.', [[{}, await countServers(pool, now)]]),
  ]
}

function gauge(name: string, help: string, samples: [Labels, number][]): Family {
  return { name, help, type: 'gauge', samples: samples.map(([labels, value]) => ({ labels, value })) }
}
