// A result's id says when its run was scheduled (the layout of a UUID of version 7), so the partition and the rows to
// look at follow from the id. The rest is a hash of the run and the attempt: recorded twice, it is the same id.
import { createHash } from 'node:crypto'
import { timeOfId } from '../core/time-ordered-id.ts'

export function resultIdOf(scheduledAt: number, runId: string, attempt: number): string {
  const bytes = createHash('sha256').update(`${runId} ${attempt}`).digest().subarray(0, 16)
  bytes.writeUIntBE(scheduledAt, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Milliseconds; null for an id that no result can have. */
export const scheduledAtOf = timeOfId
