// A run's id follows from what the run is (UUID v5): planned, claimed or reported twice, it is still the same run.
import { createHash } from 'node:crypto'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'

/** Vedette's own: every run id depends on it, so it never changes. */
const namespace = '18509263-1e56-4a32-9b70-5d2596571959'

/** Location ids are unique within an account: a private slug cannot look like a data-center region. */
export function scheduledRunId(checkId: string, scheduledAt: number, location: string): string {
  if (!Number.isSafeInteger(scheduledAt)) throw new RangeError(`not an instant: ${scheduledAt}`)
  return nameUuid(namespace, JSON.stringify(['slot', checkId, scheduledAt, location]))
}

/** An on-demand run has its session in place of an instant. */
export function sessionRunId(sessionId: string, checkId: string, location: string): string {
  return nameUuid(namespace, JSON.stringify(['session', sessionId, checkId, location]))
}

interface RunOfLane {
  checkId: string
  slotAt: number
  location: string
  checkSessionId: string | null
  testSessionId: string | null
}

/** Of the run that a lane makes next. */
export function runIdOf(lane: RunOfLane): string {
  const sessionId = lane.checkSessionId ?? lane.testSessionId
  return sessionId === null
    ? scheduledRunId(lane.checkId, lane.slotAt, lane.location)
    : sessionRunId(sessionId, lane.checkId, lane.location)
}

/** RFC 9562 §5.5 */
export function nameUuid(space: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(space.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  return uuidFromDigest(digest, 5)
}
