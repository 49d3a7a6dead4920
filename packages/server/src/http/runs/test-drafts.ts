import { type CheckValues, type DraftSessionRequest, runDrafts } from '@vedette/contracts'
import { type Warn, warnOfChange } from '../../checks/check-warnings.ts'
import * as useCase from '../../runs/run-drafts.ts'
import { transact } from '../../storage/core/db.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { wakeClaims } from './claim-wait.ts'
import { readTestSession } from './read-test-session.ts'

export function testDraftRoutes(deps: Deps): Mounted[] {
  const { store, vault, clock } = deps
  return [
    handle(runDrafts, async ({ account, principal, body, warn }) => {
      const request = { ...body, accountId: account.id, userId: principal.userId }
      const started = await transact(store.db, (tx) => useCase.runDrafts(tx, vault, request, clock.now()))
      wakeClaims()
      await warnOfDrafts(deps, account, started.checks, body, warn)
      return {
        ...(await readTestSession(deps, account, started.session.id)),
        runs: started.runs.map(({ draft, resultId, sequenceId, runLocation }) => ({
          draft,
          testSessionResultId: resultId,
          sequenceId,
          runLocation: runLocation.location,
        })),
      }
    }),
  ]
}

/** Parsing scripts takes time, and people read few warnings. */
const maxWarnedDrafts = 20

async function warnOfDrafts(
  { store, vault }: Deps,
  account: AccountContext,
  checks: readonly CheckValues[],
  { environmentVariables }: DraftSessionRequest,
  warn: Warn,
): Promise<void> {
  for (const check of checks.slice(0, maxWarnedDrafts)) {
    const own = Array.isArray(check.environmentVariables) ? check.environmentVariables : []
    const after = { ...check, environmentVariables: [...own, ...environmentVariables] }
    await warnOfChange(store.db, vault, account.id, { id: '', sent: check, before: {}, after }, warn)
  }
}
