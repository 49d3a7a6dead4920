// The id of a result contains the scheduled time of its run (the layout of a version 7 UUID), which gives its partition. The
// rest is a hash of the run and the attempt, so a result that is recorded twice has one id.
import { createHash } from 'node:crypto'
import { timeOfId } from '../core/time-ordered-id.ts'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'

export function resultIdOf(scheduledAt: number, runId: string, attempt: number): string {
  const digest = createHash('sha256').update(`${runId} ${attempt}`).digest()
  digest.writeUIntBE(scheduledAt, 0, 6)
  return uuidFromDigest(digest, 7)
}

/** Milliseconds; null if it isn't the id of a result. */
export const scheduledAtOf = timeOfId
