import {
  getTestSessionResult,
  getTestSessionResultCapture,
  getTestSessionResultFile,
  getTestSessionResultLog,
  getTestSessionResultRunData,
  listTestSessionResultAssets,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findTestResult, type TestResultRow } from '../../storage/runs/test-session-results.ts'
import { captureOf, readDetail, serializeLog, serializeRunData } from '../results/result-detail.ts'
import { linkedFiles, listResultFiles, requireResultFile } from '../results/result-files.ts'
import { serializeManifest } from '../results/serialize-manifest.ts'
import { type Deps, linksOf } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeTestResultDetail, testAssetFolder } from './serialize-test-session.ts'

interface ResultPath {
  testSessionId: string
  testSessionResultId: string
}

export function testSessionResultRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  const requireRow = async (accountId: string, { testSessionId, testSessionResultId }: ResultPath) =>
    orNotFound(await findTestResult(db, accountId, testSessionId, testSessionResultId))
  return [
    handle(getTestSessionResult, async ({ account, params }) => {
      const row = await requireRow(account.id, params)
      const files = await linkedFiles(deps, account.id, row, { resultId: row.id })
      return serializeTestResultDetail(row, await linksOf(deps, account.id), files)
    }),
    handle(listTestSessionResultAssets, async ({ account, params, query }) => {
      const row = await requireRow(account.id, params)
      const files = await listResultFiles(deps, account.id, { resultId: row.id })
      return serializeManifest(readDetail(row.detail), files, testAssetFolder(row), sourceOf(row), query)
    }),
    handle(getTestSessionResultLog, async ({ account, params }) => {
      const row = await requireRow(account.id, params)
      return orNotFound(serializeLog(row.check_type, orNotFound(readDetail(row.detail))))
    }),
    handle(getTestSessionResultRunData, async ({ account, params }) => {
      const row = await requireRow(account.id, params)
      return serializeRunData(row.check_type, orNotFound(readDetail(row.detail)))
    }),
    handle(getTestSessionResultCapture, async ({ account, params }) => {
      return orNotFound(captureOf(orNotFound(readDetail((await requireRow(account.id, params)).detail))))
    }),
    handle(getTestSessionResultFile, async ({ account, params }) => {
      const row = await requireRow(account.id, params)
      return requireResultFile(deps, account.id, { ...params, resultId: row.id })
    }),
  ]
}

function sourceOf(row: TestResultRow) {
  return {
    type: 'test-session-result' as const,
    ...(row.check_id === null ? {} : { checkId: row.check_id }),
    checkName: row.name,
    checkType: row.check_type,
    resultId: row.id,
    testSessionId: row.test_session_id,
  }
}
