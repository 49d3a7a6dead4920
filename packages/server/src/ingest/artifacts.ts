// Records the files of runs with their results: only those whose bytes the account has, and each name once.
import type { ReportedArtifact } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import { insertArtifacts } from '../storage/results/artifacts.ts'
import { resultIdOf } from './result-id.ts'

export interface ResultArtifacts {
  accountId: string
  checkId: string
  /** Of the result of a check, or of a test session. */
  resultId: string
  /** Milliseconds; the partition of that day must exist. */
  scheduledAt: number
  artifacts: readonly ReportedArtifact[]
}

export async function recordArtifacts(client: Client, results: readonly ResultArtifacts[]): Promise<void> {
  const rows = results.flatMap(({ accountId, checkId, resultId, scheduledAt, artifacts }) =>
    artifacts.map(({ type, name, contentType, sha256 }) => ({
      accountId,
      checkId,
      resultId,
      scheduledAt,
      type,
      name,
      contentType,
      sha256,
      id: artifactIdOf(scheduledAt, resultId, name),
    })),
  )
  await insertArtifacts(client, rows)
}

/** In the layout of a result's id, so that `scheduledAtOf` can read it. */
export function artifactIdOf(scheduledAt: number, resultId: string, name: string): string {
  return resultIdOf(scheduledAt, `artifact ${resultId} ${name}`, 0)
}
