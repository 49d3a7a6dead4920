import { ApiError, type TestSession } from '@vedette/contracts'
import type { z } from 'zod'
import { findProjectsById } from '../../storage/projects/projects.ts'
import { listTestResults } from '../../storage/runs/test-session-results.ts'
import { findTestSession, type TestSessionRow } from '../../storage/runs/test-sessions.ts'
import type { AccountContext } from '../transport/account-context.ts'
import { type Deps, linksOf } from '../transport/deps.ts'
import { serializeTestSession } from './serialize-test-session.ts'

export async function requireTestSession(
  { store }: Deps,
  account: AccountContext,
  id: string,
): Promise<TestSessionRow> {
  const row = await findTestSession(store.db, account.id, id)
  if (row === null) throw new ApiError('not_found', { message: 'No such test session.' })
  return row
}

export async function readTestSession(
  deps: Deps,
  account: AccountContext,
  id: string,
): Promise<z.output<typeof TestSession>> {
  const row = await requireTestSession(deps, account, id)
  const results = await listTestResults(deps.store.db, account.id, [row.id])
  return serializeTestSession(row, results, {
    linkTo: await linksOf(deps, account.id),
    now: deps.clock.now(),
    projects: await findProjectsById(
      deps.store.db,
      account.id,
      row.project_id === null ? [] : [row.project_id],
    ),
  })
}
