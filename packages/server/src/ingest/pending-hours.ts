import { hourMs, minuteMs } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import { type CheckHour, markPending } from '../storage/results/result-writes.ts'
import type { RunResult } from './run-result.ts'

/** The rollup starts a minute later: by then, transactions that took the hour for open have committed. */
const closedAfterMs = minuteMs

/** Marks the hours whose rollups these results change. */
export async function markHours(
  client: Client,
  results: readonly Pick<RunResult, 'accountId' | 'checkId' | 'scheduledAt' | 'resultType'>[],
  now: number,
): Promise<void> {
  const hours = new Map<string, CheckHour>()
  for (const { accountId, checkId, scheduledAt, resultType } of results) {
    const hour = Math.floor(scheduledAt / hourMs) * hourMs
    if (resultType === 'FINAL') hours.set(`${checkId} ${hour}`, { accountId, checkId, hour })
  }
  const sorted = [...hours.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hour]) => hour)
  const isClosed = ({ hour }: CheckHour) => now > hour + hourMs + closedAfterMs
  await markPending(client, sorted.filter(isClosed), { isClosed: true })
  await markPending(
    client,
    sorted.filter((hour) => !isClosed(hour)),
    { isClosed: false },
  )
}
