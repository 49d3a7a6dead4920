import { upsertErrorGroups } from '../storage/error-group-writes.ts'
import { requestAutomaticAnalyses } from '../storage/root-cause-analyses.ts'
import type { Client } from '../storage/transaction.ts'
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
