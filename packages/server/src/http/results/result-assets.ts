import {
  ApiError,
  getCheckResultCapture,
  getCheckResultFile,
  getCheckResultLog,
  getCheckResultRunData,
  getSignedAsset,
  listCheckResultAssets,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { scheduledAtOf } from '../../ingest/result-id.ts'
import { lastPart, refusalOfLink } from '../../links/asset-link.ts'
import { findArtifact } from '../../storage/results/artifacts.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { captureOf, readDetail, serializeLog, serializeRunData } from './result-detail.ts'
import { listResultFiles, requireResult, requireResultFile, storedArtifact } from './result-files.ts'
import { serializeManifest } from './serialize-manifest.ts'

export function resultAssetRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  return [
    handle(listCheckResultAssets, async ({ account, params, query }) => {
      const { check, row } = await requireResult(db, account.id, params)
      const source = {
        type: 'check-result' as const,
        checkId: check.id,
        checkName: check.name,
        checkType: row.check_type,
        resultId: row.id,
      }
      // Relative: clients fetch the files from the server that they got the list from, with the same key.
      const folder = `/v1/assets/check-results/${check.id}/${row.id}`
      const of = { resultId: row.id, scheduledAt: Date.parse(row.scheduled_at) }
      const files = await listResultFiles(deps, account.id, of)
      return serializeManifest(readDetail(row.detail), files, folder, source, query)
    }),
    handle(getCheckResultLog, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return orNotFound(serializeLog(row.check_type, orNotFound(readDetail(row.detail))))
    }),
    handle(getCheckResultRunData, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return serializeRunData(row.check_type, orNotFound(readDetail(row.detail)))
    }),
    handle(getCheckResultCapture, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return orNotFound(captureOf(orNotFound(readDetail(row.detail))))
    }),
    handle(getCheckResultFile, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return requireResultFile(deps, account.id, { ...params, resultId: row.id })
    }),
    handle(getSignedAsset, async ({ params, query }) => {
      const { artifactId: id, name } = params
      const context = { sign: deps.vault.sign, now: deps.clock.now() }
      const refusal = refusalOfLink(context, { id, ...query })
      if (refusal !== null) throw new ApiError('forbidden', { message: refusal })
      const row = orNotFound(await findArtifact(db, { id, scheduledAt: orNotFound(scheduledAtOf(id)) }))
      return storedArtifact(deps, orNotFound(lastPart(row.name) === name ? row : null))
    }),
  ]
}
