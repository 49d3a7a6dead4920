// Keeps the embedded store alive on a disk that fills up: the oldest files of runs go first, then details, then today's of
// both, then old results; today's results never.

import { statfs } from 'node:fs/promises'
import { dayMs } from '@vedette/contracts'
import type { Log } from '../core/log.ts'
import { metrics } from '../prometheus/metrics.ts'
import type { Pool } from '../storage/core/db.ts'
import type { Client } from '../storage/core/transaction.ts'
import { artifactBytes } from '../storage/results/artifacts.ts'
import {
  type Dropped,
  dropPartition,
  emptyPartition,
  listPartitions,
  type OldPartition,
  partitionBytes,
  withRetentionLock,
} from '../storage/results/retention.ts'

export interface DiskSpace {
  freeBytes: number
  sizeBytes: number
}

export interface DiskReserve {
  /** One look, and as many partitions as have to go. */
  keep(now: number): Promise<void>
}

/** Less is not worth what would be lost. */
const leastBytes = 1024 * 1024

export function diskReserve(options: {
  pool: Pool
  reservePercent: number
  readSpace: () => Promise<DiskSpace>
  /** Room that can be given up at once; absent: none is kept. */
  ballast?: { bytes: number; take(): Promise<void>; drop(): Promise<boolean> }
  /** Deletes the files that nothing refers to any more; absent: they are not on this disk. */
  releaseFiles?: () => Promise<unknown>
  log: Log
}): DiskReserve {
  const { pool, reservePercent, readSpace, ballast, releaseFiles, log } = options
  let wasLow = false
  let saidNothingLeft = false

  const isLow = async (): Promise<boolean> => {
    const { freeBytes, sizeBytes } = await readSpace()
    metrics.diskFree.set(freeBytes)
    metrics.diskSize.set(sizeBytes)
    const low = freeBytes < (sizeBytes * reservePercent) / 100
    metrics.diskLow.set(low ? 1 : 0)
    if (low !== wasLow) {
      if (low) log.error({ freeBytes, sizeBytes, reservePercent }, 'disk.low: old details are being dropped')
      else log.info({ freeBytes, sizeBytes }, 'disk.recovered')
    }
    wasLow = low
    if (!low) saidNothingLeft = false
    await trim(freeBytes, (sizeBytes * reservePercent) / 100)
    return low
  }

  /** Without it the statements that make room would not find any. */
  const trim = async (freeBytes: number, reserveBytes: number): Promise<void> => {
    if (ballast === undefined) return
    if (freeBytes < ballast.bytes / 2) {
      if (await ballast.drop()) log.error({ freeBytes }, 'disk.ballast-dropped')
    } else if (freeBytes > reserveBytes + ballast.bytes) await ballast.take()
  }

  return {
    async keep(now) {
      if (!(await isLow())) return
      await withRetentionLock(pool, async (client) => {
        for (const victim of await victims(client, now, releaseFiles !== undefined)) {
          const bytes = await bytesOf(client, victim)
          const outcome = await giveUp(client, victim, now)
          if (outcome === 'dropped' && victim.table === 'artifacts') await releaseFiles?.()
          if (outcome === 'dropped') {
            metrics.partitionsDropped.add(1, { table: victim.table, reason: 'disk' })
            log.error({ table: victim.table, partition: victim.name, bytes }, 'disk.dropped')
          }
          if (!(await isLow())) return
        }
        if (saidNothingLeft) return
        saidNothingLeft = true
        log.error('disk.low: nothing is left that may be dropped; make room')
      })
    },
  }
}

/** In the order in which they may go. */
async function victims(client: Client, now: number, hasFiles: boolean): Promise<OldPartition[]> {
  const today = Math.floor(now / dayMs) * dayMs
  const isPast = ({ to }: OldPartition) => to <= today
  const begun = async (table: 'artifacts' | 'result_details') =>
    (await listPartitions(client, table)).filter(({ from }) => from <= now)
  const files = hasFiles ? await begun('artifacts') : []
  const details = await begun('result_details')
  const results = (await listPartitions(client, 'results')).filter(isPast)
  const ordered = [
    ...files.filter(isPast),
    ...details,
    ...files.filter((partition) => !isPast(partition)),
    ...results,
  ]
  const worthIt: OldPartition[] = []
  for (const partition of ordered) {
    if ((await bytesOf(client, partition)) > leastBytes) worthIt.push(partition)
  }
  return worthIt
}

/** Of artifacts that of their files, which weigh more than the rows that name them. */
function bytesOf(client: Client, partition: OldPartition): Promise<number> {
  return partition.table === 'artifacts'
    ? artifactBytes(client, partition.name)
    : partitionBytes(client, partition)
}

function giveUp(client: Client, partition: OldPartition, now: number): Promise<Dropped> {
  return partition.to <= now ? dropPartition(client, partition) : emptyPartition(client, partition)
}

/** What an unprivileged writer such as PostgreSQL may still use. */
export async function readSpaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
