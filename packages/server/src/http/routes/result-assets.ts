import {
  type CheckType,
  getCheckResultCapture,
  getCheckResultLog,
  getCheckResultRunData,
  listCheckResultAssets,
} from '@vedette/contracts'
import type { Deps } from '../deps.ts'
import { requireResult } from '../find-result.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { presentManifest } from '../present-manifest.ts'
import { captureOf, presentLog, presentRunData, readDetail } from '../result-detail.ts'

export function resultAssetRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listCheckResultAssets, async ({ account, params, query }) => {
      const { check, row } = await requireResult(db, account.id, params)
      const source = {
        type: 'check-result' as const,
        checkId: check.id,
        checkName: check.name,
        checkType: row.check_type as CheckType,
        resultId: row.id,
      }
      // Relative: whoever reads the list reaches the files the same way, with the same key.
      const folder = `/v1/assets/check-results/${check.id}/${row.id}`
      return presentManifest(readDetail(row.detail), folder, source, query)
    }),
    handle(getCheckResultLog, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return found(presentLog(row.check_type as CheckType, found(readDetail(row.detail))))
    }),
    handle(getCheckResultRunData, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return presentRunData(found(readDetail(row.detail)))
    }),
    handle(getCheckResultCapture, async ({ account, params }) => {
      const { row } = await requireResult(db, account.id, params)
      return found(captureOf(found(readDetail(row.detail))))
    }),
  ]
}
