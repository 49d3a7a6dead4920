// Deletes data that is older than the retention settings, and creates partitions ahead of time. Rollups outlive results.
import { dayMs, hourMs } from '@vedette/contracts'
import type { Config } from '../config.ts'
import type { Log } from '../core/log.ts'
import { metrics } from '../prometheus/metrics.ts'
import { attemptMemoryMs } from '../storage/accounts/sign-in-attempts.ts'
import { deleteUnusedBundles } from '../storage/checks/code-bundles.ts'
import type { Pool } from '../storage/core/db.ts'
import { dailyTables, ensureDays, ensureMonths, monthlyTables } from '../storage/core/partitions.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import { deleteUnusedImages, requestMissingImages } from '../storage/pages/page-images.ts'
import {
  deleteOldRows,
  dropPartition,
  listPartitions,
  type OldPartition,
  type SweptTable,
  sweptTables,
  withRetentionLock,
} from '../storage/results/retention.ts'

type Limits = Pick<Config, 'RESULT_RETENTION_DAYS' | 'DETAIL_RETENTION_DAYS' | 'ROLLUP_RETENTION_MONTHS'>

/** An unused bundle may be uploaded for a check that doesn't exist yet. */
const unusedBundleDays = 7

/** Only one of several servers does this at a time. */
export async function enforceRetention(pool: Pool, limits: Limits, now: number, log: Log): Promise<void> {
  await ensurePartitions(pool, now)
  await withRetentionLock(pool, async (client) => {
    for (const partition of await listOldPartitions(client, limits, now))
      await dropOld(client, partition, log)
    for (const table of sweptTables) {
      const rows = await deleteOldRows(client, table, cutoffOf(table, limits, now))
      if (rows > 0) log.info({ table, rows }, 'retention.deleted')
    }
    const bundles = await deleteUnusedBundles(client, now - unusedBundleDays * dayMs)
    if (bundles > 0) log.info({ table: 'code_bundles', rows: bundles }, 'retention.deleted')
    await requestMissingImages(client, now)
    const images = await deleteUnusedImages(client, now - hourMs)
    if (images > 0) log.info({ table: 'page_images', rows: images }, 'retention.deleted')
  })
}

/** Ahead of time: creating a partition with the first result after midnight would block all others. */
export async function ensurePartitions(pool: Pool, now: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    await ensureDays(client, [now, now + dayMs, now + 2 * dayMs])
    await ensureMonths(client, [now, now + 2 * dayMs])
  })
}

async function listOldPartitions(client: Client, limits: Limits, now: number): Promise<OldPartition[]> {
  const old: OldPartition[] = []
  for (const table of [...dailyTables, ...monthlyTables]) {
    const cutoff = partitionCutoff(table, limits, now)
    old.push(...(await listPartitions(client, table)).filter(({ to }) => to <= cutoff))
  }
  return old
}

async function dropOld(client: Client, partition: OldPartition, log: Log): Promise<void> {
  const { table, name } = partition
  const outcome = await dropPartition(client, partition)
  if (outcome === 'dropped') {
    metrics.partitionsDropped.add(1, { table, reason: 'age' })
    log.info({ table, partition: name }, 'retention.dropped')
  } else {
    log.warn({ table, partition: name, why: outcome }, 'retention.postponed')
  }
}

function partitionCutoff(table: OldPartition['table'], limits: Limits, now: number): number {
  if (table === 'results' || table === 'artifacts') return now - limits.RESULT_RETENTION_DAYS * dayMs
  if (table === 'result_details') return now - limits.DETAIL_RETENTION_DAYS * dayMs
  if (table === 'unsampled_details') return now - dayMs
  return monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS)
}

/**
 * Sessions and analyses are kept as long as their results, alerts, notifications and the audit log as long as analytics. A late result may still
 * remove the mark of a missed run, as long as the result can be stored.
 */
function cutoffOf(table: SweptTable, limits: Limits, now: number): number {
  const cutoffs = {
    check_sessions: now - limits.RESULT_RETENTION_DAYS * dayMs,
    test_sessions: now - limits.RESULT_RETENTION_DAYS * dayMs,
    missed_runs: now - limits.RESULT_RETENTION_DAYS * dayMs,
    parallel_runs: now - dayMs,
    root_cause_analyses: now - limits.RESULT_RETENTION_DAYS * dayMs,
    check_alerts: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    alert_notifications: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    audit_entries: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    alert_states: now - dayMs,
    mails: now - 30 * dayMs,
    page_webhook_deliveries: now - 30 * dayMs,
    location_alarms: now - 90 * dayMs,
    heartbeat_events: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    certificate_chains: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    outages: monthsBefore(now, limits.ROLLUP_RETENTION_MONTHS),
    sign_ins: now,
    one_time_links: now,
    sign_in_attempts: now - attemptMemoryMs,
    sign_in_challenges: now,
    private_location_metrics: now - 15 * dayMs,
    agents: now - dayMs,
  } satisfies Record<SweptTable, number>
  return cutoffs[table]
}

function monthsBefore(now: number, months: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1)
}
