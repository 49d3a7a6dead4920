import { getCheckTests, invalidInput, isCodeType } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findCheck } from '../../storage/checks/check-reads.ts'
import { listResultsAfter } from '../../storage/results/result-reads.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { readTests } from './read-tests.ts'
import { readDetail } from './result-detail.ts'
import { summarizeTests } from './summarize-tests.ts'

/** The evidence is parsed here: more would delay other requests. */
const maxResults = 200
const maxDetailBytes = 8 * 1024 * 1024
const longestSeconds = 400 * 86_400

export function checkTestRoutes({ store, clock }: Deps): Mounted[] {
  return [
    handle(getCheckTests, async ({ account, params, query }) => {
      const end = query.to ?? Math.ceil(clock.now() / 1000)
      const start = query.from ?? end - 86_400
      if (end <= start || end - start > longestSeconds)
        throw invalidInput([{ path: ['to'], message: 'must be after from, by at most 400 days' }])
      const check = orNotFound(await findCheck(store, account.id, params.id))
      if (!isCodeType(check.check_type)) return { runs: 0, since: null, hasMore: false, total: 0, tests: [] }
      const rows = await listResultsAfter(
        store.db,
        { accountId: account.id, checkId: check.id, withDetail: true, maxDetailBytes },
        { from: start * 1000, to: end * 1000, resultType: 'ALL', limit: maxResults, after: null },
      )
      const read = rows
        .slice(0, maxResults)
        .filter(({ detail, is_cancelled }) => detail !== null && !is_cancelled)
      const attempts = read.map((row) => ({
        ...{ resultId: row.id, runId: row.run_id, startedAt: row.started_at },
        isFinal: row.result_type === 'FINAL',
        tests: readTests(readDetail(row.detail)),
      }))
      return {
        runs: attempts.filter(({ isFinal }) => isFinal).length,
        since: attempts.at(-1)?.startedAt ?? null,
        hasMore: rows.length > maxResults || rows.some(({ detail }) => detail === null),
        ...summarizeTests(attempts),
      }
    }),
  ]
}
