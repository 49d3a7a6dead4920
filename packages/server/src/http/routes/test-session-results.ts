import {
  type CheckType,
  getTestSessionResult,
  getTestSessionResultCapture,
  getTestSessionResultLog,
  getTestSessionResultRunData,
  listTestSessionResultAssets,
} from '@vedette/contracts'
import { findTestResult, type TestResultRow } from '../../storage/test-session-results.ts'
import { type Deps, publicUrl } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { presentManifest } from '../present-manifest.ts'
import { presentTestResultDetail, testAssetFolder } from '../present-test-session.ts'
import { captureOf, presentLog, presentRunData, readDetail } from '../result-detail.ts'

interface ResultPath {
  testSessionId: string
  testSessionResultId: string
}

export function testSessionResultRoutes({ store: { db }, config }: Deps): Mounted[] {
  const requireRow = async (accountId: string, { testSessionId, testSessionResultId }: ResultPath) =>
    found(await findTestResult(db, accountId, testSessionId, testSessionResultId))
  return [
    handle(getTestSessionResult, async ({ account, params }) => {
      return presentTestResultDetail(await requireRow(account.id, params), publicUrl(config))
    }),
    handle(listTestSessionResultAssets, async ({ account, params, query }) => {
      const row = await requireRow(account.id, params)
      return presentManifest(readDetail(row.detail), testAssetFolder(row), sourceOf(row), query)
    }),
    handle(getTestSessionResultLog, async ({ account, params }) => {
      const row = await requireRow(account.id, params)
      return found(presentLog(row.check_type as CheckType, found(readDetail(row.detail))))
    }),
    handle(getTestSessionResultRunData, async ({ account, params }) => {
      return presentRunData(found(readDetail((await requireRow(account.id, params)).detail)))
    }),
    handle(getTestSessionResultCapture, async ({ account, params }) => {
      return found(captureOf(found(readDetail((await requireRow(account.id, params)).detail))))
    }),
  ]
}

function sourceOf(row: TestResultRow) {
  return {
    type: 'test-session-result' as const,
    ...(row.check_id === null ? {} : { checkId: row.check_id }),
    checkName: row.name,
    checkType: row.check_type as CheckType,
    resultId: row.id,
    testSessionId: row.test_session_id,
  }
}
