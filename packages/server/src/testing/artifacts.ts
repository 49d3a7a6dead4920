// Files of results as agents leave them, through the same functions.
import { randomUUID } from 'node:crypto'
import type { ReportedArtifact } from '@vedette/contracts'
import { keepBlob } from '../blobs/keep-blob.ts'
import { artifactIdOf, recordArtifacts } from '../ingest/artifacts.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { TestApi } from './api.ts'

export type SomeFile = { content: string | Buffer } & Partial<Omit<ReportedArtifact, 'sha256' | 'sizeBytes'>>

/** Uploaded, and as an agent would report it; a screenshot unless told otherwise. */
export async function uploadFile(
  { store, blobs }: Pick<TestApi, 'store' | 'blobs'>,
  accountId: string,
  { content, ...some }: SomeFile,
  now = Date.now(),
): Promise<ReportedArtifact> {
  const bytes = (async function* () {
    yield Buffer.from(content)
  })()
  const kept = await keepBlob({ pool: store.pool, blobs, now }, accountId, bytes, { maxBytes: 1e9 })
  return { type: 'screenshot', name: `${randomUUID()}.png`, contentType: 'image/png', ...some, ...kept }
}

/** Recorded with a result that is there; returns the artifact's id. */
export async function createArtifact(
  api: Pick<TestApi, 'store' | 'blobs'>,
  of: { accountId: string; checkId: string; resultId: string; scheduledAt: number },
  file: SomeFile,
): Promise<string> {
  const artifact = await uploadFile(api, of.accountId, file)
  await inTransaction(api.store.pool, async (client) => {
    await ensureDays(client, [of.scheduledAt])
    await recordArtifacts(client, [{ ...of, artifacts: [artifact] }])
  })
  return artifactIdOf(of.scheduledAt, of.resultId, artifact.name)
}
