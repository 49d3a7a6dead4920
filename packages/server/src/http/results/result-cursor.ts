// The position of the last result of a page, as opaque text.
import { invalidInput } from '@vedette/contracts'
import type { ResultKey, ResultRow } from '../../storage/results/result-reads.ts'

const pattern = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,4})$/
const endOfYear9999 = Date.UTC(10_000, 0, 1)

export function readResultCursor(nextId: string | undefined): ResultKey | null {
  if (nextId === undefined || nextId === '') return null
  const [, time, runId, attempt] = pattern.exec(Buffer.from(nextId, 'base64url').toString()) ?? []
  if (runId === undefined || Number(time) >= endOfYear9999) {
    throw invalidInput([{ path: ['nextId'], message: 'must be the nextId of the page before' }])
  }
  return { scheduledAt: new Date(Number(time)).toISOString(), runId, attempt: Number(attempt) }
}

export function writeResultCursor(last: Pick<ResultRow, 'scheduled_at' | 'run_id' | 'attempt'>): string {
  const { scheduled_at, run_id, attempt } = last
  return Buffer.from(`${Date.parse(scheduled_at)} ${run_id} ${attempt}`).toString('base64url')
}
