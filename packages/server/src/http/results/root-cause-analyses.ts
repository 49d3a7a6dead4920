import { analyzeErrorGroup, analyzeTestSessionErrorGroup, getRootCauseAnalysis } from '@vedette/contracts'
import { requireFeature } from '../../accounts/entitlements.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findCheckName } from '../../storage/checks/check-names.ts'
import { findErrorGroup } from '../../storage/results/error-groups.ts'
import { findAnalysis, requestAnalysis } from '../../storage/results/root-cause-analyses.ts'
import { findTestErrorGroup } from '../../storage/runs/test-session-error-groups.ts'
import { type Deps, linksOf } from '../transport/deps.ts'
import { handle, type Mounted, ResponseWithStatus } from '../transport/mount.ts'
import { serializeAnalysis } from './serialize-analysis.ts'

export function rootCauseAnalysisRoutes(deps: Deps): Mounted[] {
  const { clock } = deps
  const { db } = deps.store
  return [
    handle(analyzeErrorGroup, async ({ account, params, body }) => {
      const group = orNotFound(await findErrorGroup(db, account.id, params.errorGroupId))
      await requireFeature(db, account.id, 'ROOT_CAUSE_ANALYSIS')
      const check = await findCheckName(db, account.id, group.check_id)
      const id = await requestAnalysis(db, {
        accountId: account.id,
        column: 'error_group_id',
        groupId: group.id,
        checkId: group.check_id,
        checkType: check?.check_type ?? null,
        userContext: body.userContext ?? '',
        now: clock.now(),
      })
      return { id, status: 'PENDING' as const }
    }),
    handle(analyzeTestSessionErrorGroup, async ({ account, params, body }) => {
      const group = orNotFound(await findTestErrorGroup(db, account.id, params.testSessionErrorGroupId))
      await requireFeature(db, account.id, 'ROOT_CAUSE_ANALYSIS')
      const id = await requestAnalysis(db, {
        accountId: account.id,
        column: 'test_session_error_group_id',
        groupId: group.id,
        // Not known before the analysis looks for the run.
        checkId: null,
        checkType: null,
        userContext: body.userContext ?? '',
        now: clock.now(),
      })
      return { id, status: 'PENDING' as const }
    }),
    handle(getRootCauseAnalysis, async ({ account, params }) => {
      const row = orNotFound(await findAnalysis(db, account.id, params.id))
      if (row.status === 'COMPLETED') return serializeAnalysis(row, await linksOf(deps, account.id))
      return new ResponseWithStatus(202, { id: row.id, status: 'PENDING' as const })
    }),
  ]
}
