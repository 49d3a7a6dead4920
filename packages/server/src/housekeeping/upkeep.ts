// Maintenance loops: presence of the server, retention, disk space, and samples of queues.
import { randomUUID } from 'node:crypto'
import { dayMs, minuteMs } from '@vedette/contracts'
import { raiseOutageAlarms } from '../alerting/decision/unknown-alarms.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { every, type Loop } from '../core/loop.ts'
import type { ServerTurns } from '../core/server-turns.ts'
import type { Store } from '../storage/core/db.ts'
import { ballastBytes, dropBallast, takeBallast } from '../storage/embedded/ballast.ts'
import { insertQueueSamples } from '../storage/runs/private-location-metrics.ts'
import { touchEveryMs, touchServer } from '../storage/runs/servers.ts'
import { diskReserve, readSpaceOf } from './disk-reserve.ts'
import { releaseBlobs } from './release-blobs.ts'
import { enforceRetention, ensurePartitions } from './retention.ts'

export interface UpkeepOptions {
  config: Config
  store: Store
  blobs: BlobStore
  clock: Clock
  log: Log
  /** Kept up to date. */
  turns: ServerTurns
}

/** Resolves when the server may accept requests: the outage that ends is recorded, and partitions for results exist. */
export async function startUpkeep({ config, store, blobs, clock, log, turns }: UpkeepOptions): Promise<Loop> {
  const { pool } = store
  const serverId = randomUUID()
  const touchPresence = async () => {
    const notify = config.ALERTS === 'on' ? raiseOutageAlarms : undefined
    const { outage, ...rank } = await touchServer(pool, serverId, clock.now(), notify)
    turns.update(rank)
    if (outage === null) return
    const [from, to] = [new Date(outage.from), new Date(outage.to)]
    log.warn({ from, to }, 'server.outage: no server was running; runs of that time count as missed')
  }
  const release = async () => {
    const now = clock.now()
    await blobs.sweep(now)
    const retentionMs = config.RESULT_RETENTION_DAYS * dayMs
    const count = await releaseBlobs({ pool, blobs, retentionMs, now })
    if (count > 0) log.info({ count }, 'blobs.released')
  }
  // Logged at the start, not with the first lost file. Everything else works without blobs.
  void blobs.probe().catch((err: Error) => log.error({ err }, 'blobs.unusable'))
  await touchPresence()
  await ensurePartitions(pool, clock.now())
  const loops = [
    every(touchEveryMs, touchPresence, log, 'presence'),
    every(5 * minuteMs, () => enforceRetention(store.direct, config, clock.now(), log), log, 'retention'),
    every(minuteMs, release, log, 'blobs'),
    every(minuteMs, () => insertQueueSamples(pool, clock.now()), log, 'queue-samples', turns),
  ]
  // The disk of an external PostgreSQL isn't visible to this process.
  if (config.DATABASE_URL === undefined && config.DISK_RESERVE_PERCENT > 0) {
    const reserve = diskReserve({
      pool,
      reservePercent: config.DISK_RESERVE_PERCENT,
      readSpace: () => readSpaceOf(config.DATA_DIR),
      ballast: {
        bytes: ballastBytes,
        take: () => takeBallast(config.DATA_DIR),
        drop: () => dropBallast(config.DATA_DIR),
      },
      ...(config.BLOB_STORE === 'disk' && { releaseFiles: release }),
      log,
    })
    loops.push(every(5_000, () => reserve.enforce(clock.now()), log, 'disk'))
  }
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
