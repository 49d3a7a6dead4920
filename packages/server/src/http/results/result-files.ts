// Finds a result and its files, and signs links to them.
import { type assetTypes, type CheckType, isCodeType } from '@vedette/contracts'
import { openBlob } from '../../blobs/keep-blob.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { assetsUrl, publicUrl } from '../../core/public-url.ts'
import { scheduledAtOf } from '../../ingest/result-id.ts'
import { assetLink, traceViewerLink } from '../../links/asset-link.ts'
import { type CheckName, findCheckName } from '../../storage/checks/check-names.ts'
import type { Db } from '../../storage/core/db.ts'
import { type ArtifactRow, findArtifact, listArtifacts } from '../../storage/results/artifacts.ts'
import { findResult, type ResultRow } from '../../storage/results/result-reads.ts'
import type { Deps } from '../transport/deps.ts'
import { StoredFile } from '../transport/stored-file.ts'
import type { ResultFile } from './serialize-code-result.ts'

export interface ResultFileLink {
  type: (typeof assetTypes)[number]
  name: string
  contentType: string
  sizeBytes: number
  /** Relative to this server, unless files have a host of their own; valid for minutes. */
  url: string
  viewerUrl?: string
}

/** With its evidence; 404 for a check of another account and for an unknown id. */
export async function requireResult(
  db: Db,
  accountId: string,
  { checkId, checkResultId }: { checkId: string; checkResultId: string },
): Promise<{ check: CheckName; row: ResultRow }> {
  const check = orNotFound(await findCheckName(db, accountId, checkId))
  const scheduledAt = orNotFound(scheduledAtOf(checkResultId))
  const of = { accountId, checkId: check.id, withDetail: true }
  return { check, row: orNotFound(await findResult(db, of, { id: checkResultId, scheduledAt })) }
}

/** The files of a code run with absolute links: people open them from wherever they read the result. */
export async function linkedFiles(
  deps: Pick<Deps, 'store' | 'vault' | 'clock' | 'config'>,
  accountId: string,
  { check_type, detail }: { check_type: CheckType; detail: string | null },
  of: { resultId: string; scheduledAt?: number },
): Promise<ResultFile[]> {
  if (detail === null || !isCodeType(check_type)) return []
  const files = await listResultFiles(deps, accountId, of)
  const base = deps.config.ASSETS_URL === undefined ? publicUrl(deps.config) : ''
  return files.map((file) => ({ ...file, url: base + file.url }))
}

/** `scheduledAt` selects the partition; results of test sessions don't have one. */
export async function listResultFiles(
  deps: Pick<Deps, 'store' | 'vault' | 'clock' | 'config'>,
  accountId: string,
  of: { resultId: string; scheduledAt?: number },
): Promise<ResultFileLink[]> {
  const rows = await listArtifacts(deps.store.db, accountId, of)
  const context = { sign: deps.vault.sign, now: deps.clock.now() }
  return rows.map((row) => {
    const link = assetLink(context, row)
    return {
      type: row.type,
      name: row.name,
      contentType: row.content_type,
      sizeBytes: row.size_bytes,
      url: `${deps.config.ASSETS_URL ?? ''}${link}`,
      ...(row.type === 'trace' && { viewerUrl: traceViewerLink(assetsUrl(deps.config), link) }),
    }
  })
}

/** A file of this result and account, or a 404. */
export async function requireResultFile(
  deps: Pick<Deps, 'store' | 'blobs' | 'config'>,
  accountId: string,
  { artifactId, resultId }: { artifactId: string; resultId: string },
): Promise<StoredFile> {
  const scheduledAt = orNotFound(scheduledAtOf(artifactId))
  const row = orNotFound(await findArtifact(deps.store.db, { id: artifactId, scheduledAt, accountId }))
  return storedArtifact(deps, orNotFound(row.result_id === resultId ? row : null))
}

export function storedArtifact(
  { store, blobs, config }: Pick<Deps, 'store' | 'blobs' | 'config'>,
  row: ArtifactRow,
): StoredFile {
  const { name, content_type: contentType, size_bytes: sizeBytes, sha256 } = row
  return new StoredFile({
    name,
    contentType,
    sizeBytes,
    sha256,
    // The app shows pictures and videos.
    isEmbeddable: config.ASSETS_URL !== undefined,
    open: (range) => openBlob({ pool: store.pool, blobs }, row.account_id, sha256, range),
  })
}
