// A result's id says when its run was scheduled (the layout of a UUID of version 7), so the partition and the rows to
// look at follow from the id. The rest is a hash of the run and the attempt: recorded twice, it is the same id.
import { createHash } from 'node:crypto'
import { timeOfId } from '../core/time-ordered-id.ts'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'

export function resultIdOf(scheduledAt: number, runId: string, attempt: number): string {
  const digest = createHash('sha256').update(`${runId} ${attempt}`).digest()
  digest.writeUIntBE(scheduledAt, 0, 6)
  return uuidFromDigest(digest, 7)
}

/** Milliseconds; null for an id that no result can have. */
export const scheduledAtOf = timeOfId
