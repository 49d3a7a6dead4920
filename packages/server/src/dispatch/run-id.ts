// The id of a run is derived from the run (UUID v5), so a run that is claimed or reported twice keeps its id.
import { createHash } from 'node:crypto'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'

/** Vedette's namespace. Every run id depends on it, so it must never change. */
const namespace = '18509263-1e56-4a32-9b70-5d2596571959'

/** Locations are unique within an account: a private slug cannot be the name of a region. */
export function scheduledRunId(checkId: string, scheduledAt: number, location: string): string {
  if (!Number.isSafeInteger(scheduledAt)) throw new RangeError(`not an instant: ${scheduledAt}`)
  return nameUuid(namespace, JSON.stringify(['slot', checkId, scheduledAt, location]))
}

/** On-demand runs are identified by their session instead of an instant. */
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

/** The id of a lane's next run. */
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
