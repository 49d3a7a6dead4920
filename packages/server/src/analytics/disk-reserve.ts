// Keeps the embedded store alive on a disk that fills up: the oldest details go first, then today's, then old results;
// today's results never.
import { statfs } from 'node:fs/promises'
import type { Log } from '../log.ts'
import { metrics } from '../metrics.ts'
import type { Pool } from '../storage/db.ts'
import {
  type Dropped,
  dropPartition,
  emptyPartition,
  listPartitions,
  type OldPartition,
  partitionBytes,
  withRetentionLock,
} from '../storage/retention.ts'
import type { Client } from '../storage/transaction.ts'

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
const dayMs = 86_400_000

export function diskReserve(options: {
  pool: Pool
  reservePercent: number
  readSpace: () => Promise<DiskSpace>
  /** Room that can be given up at once; absent: none is kept. */
  ballast?: { bytes: number; take(): Promise<void>; drop(): Promise<boolean> }
  log: Log
}): DiskReserve {
  const { pool, reservePercent, readSpace, ballast, log } = options
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
        for (const victim of await victims(client, now)) {
          const bytes = await partitionBytes(client, victim)
          const outcome = await giveUp(client, victim, now)
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
async function victims(client: Client, now: number): Promise<OldPartition[]> {
  const today = Math.floor(now / dayMs) * dayMs
  const details = (await listPartitions(client, 'result_details')).filter(({ from }) => from <= now)
  const results = (await listPartitions(client, 'results')).filter(({ to }) => to <= today)
  const worthIt: OldPartition[] = []
  for (const partition of [...details, ...results]) {
    if ((await partitionBytes(client, partition)) > leastBytes) worthIt.push(partition)
  }
  return worthIt
}

function giveUp(client: Client, partition: OldPartition, now: number): Promise<Dropped> {
  return partition.to <= now ? dropPartition(client, partition) : emptyPartition(client, partition)
}

/** What an unprivileged writer such as PostgreSQL may still use. */
export async function readSpaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
