// The images of a page that is saved: requests them in the transaction of the caller, and names those that can't be shown.
import type { Db } from '../../storage/core/db.ts'
import { listImageFailures, requestPageImages } from '../../storage/pages/page-images.ts'

/** Addresses by the names of their fields. */
type ImageUrls = Partial<Record<'logo' | 'logoDark' | 'favicon', string | null | undefined>>

export function requestImages(tx: Db, accountId: string, urls: ImageUrls, now: number): Promise<void> {
  return requestPageImages(tx, accountId, Object.values(pick(urls)), new Date(now))
}

/** A sentence for each image that couldn't be fetched. Of an address that is new, nothing is known yet. */
export async function imageWarnings(db: Db, accountId: string, urls: ImageUrls): Promise<string[]> {
  const sent = pick(urls)
  const failures = await listImageFailures(db, accountId, Object.values(sent))
  return Object.entries(sent).flatMap(([field, url]) => {
    const failed = failures.find((one) => one.url === url)
    if (failed === undefined) return []
    const effect = failed.hasImage ? 'The page keeps the last image' : "The page doesn't show it"
    return `${field}: the image can't be fetched. ${failed.failure} ${effect} and tries again later.`
  })
}

function pick({ logo, logoDark, favicon }: ImageUrls): Record<string, string> {
  const urls = { logo, logoDark, favicon }
  return Object.fromEntries(Object.entries(urls).flatMap(([field, url]) => (url ? [[field, url]] : [])))
}
