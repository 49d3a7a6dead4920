// Keeps the embedded database running on a disk that fills up. Drops the oldest files of runs first, then details (those of
// passing runs that aren't in the sample first), then today's files, then old results; never today's results.
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
  /** Checks the disk, and drops as many partitions as necessary. */
  enforce(now: number): Promise<void>
}

/** Smaller partitions aren't worth dropping. */
const leastBytes = 1024 * 1024

export function diskReserve(options: {
  pool: Pool
  reservePercent: number
  readSpace: () => Promise<DiskSpace>
  /** Space that can be freed at once; absent: there is none. */
  ballast?: { bytes: number; take(): Promise<void>; drop(): Promise<boolean> }
  /** Deletes files without references; absent: files aren't on this disk. */
  releaseFiles?: () => Promise<unknown>
  log: Log
}): DiskReserve {
  const { pool, reservePercent, readSpace, ballast, releaseFiles, log } = options
  let wasLow = false
  let isExhaustionLogged = false

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
    if (!low) isExhaustionLogged = false
    await trim(freeBytes, (sizeBytes * reservePercent) / 100)
    return low
  }

  /** The statements that free space need some space themselves, which the ballast provides. */
  const trim = async (freeBytes: number, reserveBytes: number): Promise<void> => {
    if (ballast === undefined) return
    if (freeBytes < ballast.bytes / 2) {
      if (await ballast.drop()) log.error({ freeBytes }, 'disk.ballast-dropped')
    } else if (freeBytes > reserveBytes + ballast.bytes) await ballast.take()
  }

  return {
    async enforce(now) {
      if (!(await isLow())) return
      await withRetentionLock(pool, async (client) => {
        for (const victim of await listVictims(client, now, releaseFiles !== undefined)) {
          const bytes = await bytesOf(client, victim)
          const outcome = await discard(client, victim, now)
          if (outcome === 'dropped' && victim.table === 'artifacts') await releaseFiles?.()
          if (outcome === 'dropped') {
            metrics.partitionsDropped.add(1, { table: victim.table, reason: 'disk' })
            log.error({ table: victim.table, partition: victim.name, bytes }, 'disk.dropped')
          }
          if (!(await isLow())) return
        }
        if (isExhaustionLogged) return
        isExhaustionLogged = true
        log.error('disk.low: no partition is left that may be dropped; free some disk space')
      })
    },
  }
}

/** In the order in which they are dropped. */
async function listVictims(client: Client, now: number, hasFiles: boolean): Promise<OldPartition[]> {
  const today = Math.floor(now / dayMs) * dayMs
  const isPast = ({ to }: OldPartition) => to <= today
  const listBegun = async (table: 'artifacts' | 'unsampled_details' | 'result_details') =>
    (await listPartitions(client, table)).filter(({ from }) => from <= now)
  const files = hasFiles ? await listBegun('artifacts') : []
  const details = [...(await listBegun('unsampled_details')), ...(await listBegun('result_details'))]
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

/** For artifacts, the size of their files, which exceeds that of the rows. */
function bytesOf(client: Client, partition: OldPartition): Promise<number> {
  return partition.table === 'artifacts'
    ? artifactBytes(client, partition.name)
    : partitionBytes(client, partition)
}

function discard(client: Client, partition: OldPartition, now: number): Promise<Dropped> {
  return partition.to <= now ? dropPartition(client, partition) : emptyPartition(client, partition)
}

/** The space available to unprivileged processes such as PostgreSQL. */
export async function readSpaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
