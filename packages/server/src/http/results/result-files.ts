// The files of one result with links that open them.
import type { assetTypes } from '@vedette/contracts'
import { openBlob } from '../../blobs/keep-blob.ts'
import { scheduledAtOf } from '../../ingest/result-id.ts'
import { assetLink, traceViewerLink } from '../../links/asset-link.ts'
import { type ArtifactRow, findArtifact, listArtifacts } from '../../storage/results/artifacts.ts'
import { type Deps, publicUrl } from '../transport/deps.ts'
import { orNotFound } from '../transport/mount.ts'
import { StoredFile } from '../transport/stored-file.ts'

export interface ResultFileLink {
  type: (typeof assetTypes)[number]
  name: string
  contentType: string
  sizeBytes: number
  /** Relative to this server; valid for minutes. */
  url: string
  viewerUrl?: string
}

/** `scheduledAt` of a check's result: the day to look in. */
export async function listResultFiles(
  deps: Pick<Deps, 'store' | 'vault' | 'clock' | 'config'>,
  accountId: string,
  of: { resultId: string; scheduledAt?: number },
): Promise<ResultFileLink[]> {
  const rows = await listArtifacts(deps.store.db, accountId, of)
  const context = { sign: deps.vault.sign, now: deps.clock.now() }
  return rows.map((row) => {
    const url = assetLink(context, row)
    return {
      type: row.type,
      name: row.name,
      contentType: row.content_type,
      sizeBytes: row.size_bytes,
      url,
      ...(row.type === 'trace' && { viewerUrl: traceViewerLink(publicUrl(deps.config), url) }),
    }
  })
}

/** A file of this result and account, or a 404. */
export async function requireResultFile(
  deps: Pick<Deps, 'store' | 'blobs'>,
  accountId: string,
  { artifactId, resultId }: { artifactId: string; resultId: string },
): Promise<StoredFile> {
  const scheduledAt = orNotFound(scheduledAtOf(artifactId))
  const row = orNotFound(await findArtifact(deps.store.db, { id: artifactId, scheduledAt, accountId }))
  return storedArtifact(deps, orNotFound(row.result_id === resultId ? row : null))
}

export function storedArtifact(
  { store, blobs }: Pick<Deps, 'store' | 'blobs'>,
  row: ArtifactRow,
): StoredFile {
  const { name, content_type: contentType, size_bytes: sizeBytes, sha256 } = row
  return new StoredFile({
    ...{ name, contentType, sizeBytes, sha256 },
    open: (range) => openBlob({ pool: store.pool, blobs }, row.account_id, sha256, range),
  })
}
