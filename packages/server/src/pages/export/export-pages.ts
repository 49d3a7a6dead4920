// Keeps a copy of the public status pages elsewhere, so that they stay online when this server is down.
import { join } from 'node:path'
import { openBucket } from '../../blobs/bucket.ts'
import { bucketAt } from '../../blobs/bucket-settings.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Store } from '../../storage/core/db.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { lockPagesExport } from '../../storage/pages/status-pages.ts'
import { copyToBucket } from './bucket.ts'
import { writeDirectory } from './directory.ts'
import { siteFiles } from './site.ts'

/** Null: no copy is wanted. */
export function pagesExport(
  config: Config,
  { store, clock, publicUrl }: { store: Store; clock: Clock; publicUrl: string },
): (() => Promise<void>) | null {
  const { PAGES_EXPORT_TO: to, PAGES_EXPORT_URL, DATA_DIR } = config
  if (to === undefined) return null
  const options = { url: PAGES_EXPORT_URL ?? `${publicUrl}/s`, includePrivate: false }
  const write = (folder: string) => writeDirectory(folder, siteFiles(store.db, options, clock.now()))
  const settings = bucketAt(config, to)
  if (settings === null) {
    return async () => {
      await write(to)
    }
  }
  // Written to disk first: requests to a bucket send files.
  const folder = join(DATA_DIR, 'exported-pages')
  return () =>
    inTransaction(store.pool, async (client) => {
      if (!(await lockPagesExport(client))) return
      const bucket = openBucket(settings)
      try {
        await copyToBucket(bucket, folder, await write(folder))
      } finally {
        bucket.close()
      }
    })
}
