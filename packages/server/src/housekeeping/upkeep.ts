// What keeps an installation going: the server's presence, retention, room on the disk, and what is measured each minute.

import { randomUUID } from 'node:crypto'
import { dayMs } from '@vedette/contracts'
import { raiseOutageAlarms } from '../alerting/decision/unknown-alarms.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { every, type Loop } from '../core/loop.ts'
import type { Store } from '../storage/core/db.ts'
import { ballastBytes, dropBallast, takeBallast } from '../storage/embedded/ballast.ts'
import { insertQueueSamples } from '../storage/runs/private-location-metrics.ts'
import { touchEveryMs, touchServer } from '../storage/runs/servers.ts'
import { diskReserve, readSpaceOf } from './disk-reserve.ts'
import { releaseBlobs } from './release-blobs.ts'
import { ensureAhead, retain } from './retention.ts'

export interface UpkeepOptions {
  config: Config
  store: Store
  blobs: BlobStore
  clock: Clock
  log: Log
}

/** Resolves when the server may serve: an outage that ends with it is recorded, and there is room for results. */
export async function startUpkeep({ config, store, blobs, clock, log }: UpkeepOptions): Promise<Loop> {
  const { pool } = store
  const serverId = randomUUID()
  const bePresent = async () => {
    const notify = config.ALERTS === 'on' ? raiseOutageAlarms : undefined
    const outage = await touchServer(pool, serverId, clock.now(), notify)
    if (outage === null) return
    const [from, to] = [new Date(outage.from), new Date(outage.to)]
    log.warn({ from, to }, 'server.outage: nobody was there; runs of that time count as missed')
  }
  const release = async () => {
    const now = clock.now()
    await blobs.sweep(now)
    const retentionMs = config.RESULT_RETENTION_DAYS * dayMs
    const count = await releaseBlobs({ pool, blobs, retentionMs, now })
    if (count > 0) log.info({ count }, 'blobs.released')
  }
  // Told at once, not with the first file that is lost; all the rest goes on without it.
  void blobs.probe().catch((err: Error) => log.error({ err }, 'blobs.unusable'))
  await bePresent()
  await ensureAhead(pool, clock.now())
  const loops = [
    every(touchEveryMs, bePresent, log, 'presence'),
    every(300_000, () => retain(pool, config, clock.now(), log), log, 'retention'),
    every(60_000, release, log, 'blobs'),
    every(60_000, () => insertQueueSamples(pool, clock.now()), log, 'queue-samples'),
  ]
  // Somebody else's PostgreSQL lies on a disk that we do not see.
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
    loops.push(every(5_000, () => reserve.keep(clock.now()), log, 'disk'))
  }
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
