// Fetches the images of pages that are due: new addresses at once, others daily. Any number of servers may do this at once.
import { dayMs, minuteMs } from '@vedette/contracts'
import { toError } from '@vedette/safeguards/errors'
import type { Http } from '../../alerting/channels/transport/http.ts'
import type { Log } from '../../core/log.ts'
import type { Pool } from '../../storage/core/db.ts'
import {
  type ClaimedImage,
  claimPageImages,
  recordImage,
  recordImageFailure,
} from '../../storage/pages/page-images.ts'
import { fetchImage } from './fetch-image.ts'
import { ImageError } from './image-error.ts'

export interface ImageRefresh {
  pool: Pool
  http: Pick<Http, 'download'>
  log: Log
  now(): number
  isStopping(): boolean
}

const concurrency = 8
/** Longer than a fetch takes. */
const leaseMs = minuteMs

export async function refreshImages(refresh: ImageRefresh): Promise<void> {
  while (!refresh.isStopping()) {
    const claimed = await claimPageImages(refresh.pool, { now: refresh.now(), limit: concurrency, leaseMs })
    if (claimed.length === 0) return
    await Promise.all(claimed.map((image) => refreshOne(image, refresh)))
  }
}

async function refreshOne(
  image: ClaimedImage,
  { pool, http, log, now, isStopping }: ImageRefresh,
): Promise<void> {
  const fetched = await fetchImage(http, image.url).catch(toError)
  if (!(fetched instanceof Error))
    return recordImage(pool, image, fetched, { now: now(), dueAt: now() + dayMs })
  // Requests fail when the server stops. Another server fetches the image when the claim ends.
  if (isStopping()) return
  if (!(fetched instanceof ImageError)) log.error({ err: fetched, image: image.id }, 'image.failed')
  const failure = fetched instanceof ImageError ? fetched.message : 'The server failed to read it.'
  await recordImageFailure(pool, image, { failure, dueAt: now() + retryMs(image.failures) })
}

/** A minute at first, a day in the end. */
function retryMs(failures: number): number {
  return Math.min(dayMs, minuteMs * 5 ** Math.min(failures, 5))
}
