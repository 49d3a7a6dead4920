import type { Client } from '../storage/core/transaction.ts'
import { upsertErrorGroups } from '../storage/results/error-group-writes.ts'
import { requestAutomaticAnalyses } from '../storage/results/root-cause-analyses.ts'
import { errorGroupId, type RecordedRow } from './recorded-row.ts'

export async function recordErrorGroups(
  client: Client,
  rows: readonly RecordedRow[],
  now: number,
): Promise<void> {
  const events = rows.flatMap(({ result, row, errorGroup }) =>
    errorGroup === null
      ? []
      : [
          {
            id: errorGroupId(result.checkId, errorGroup),
            accountId: result.accountId,
            checkId: result.checkId,
            ...errorGroup,
            rawErrorMessage: row.failureMessage ?? '',
            seenAt: result.stoppedAt,
          },
        ],
  )
  await requestAutomaticAnalyses(client, await upsertErrorGroups(client, events), now)
}
