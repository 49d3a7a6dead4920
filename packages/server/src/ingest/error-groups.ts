import { upsertErrorGroups } from '../storage/error-group-writes.ts'
import type { Client } from '../storage/transaction.ts'
import { errorGroupId, type RecordedRow } from './recorded-row.ts'

export function recordErrorGroups(client: Client, rows: readonly RecordedRow[]): Promise<void> {
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
  return upsertErrorGroups(client, events)
}
