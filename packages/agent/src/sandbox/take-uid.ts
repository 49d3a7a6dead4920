// User ids for cells, from a range that no package uses. Each cell has its own, so that limits apply to it alone and its
// processes can be found by their user.
import { readdirSync, statSync } from 'node:fs'

const firstUid = 60_200
const uidCount = 1_000
export const endOfUids = firstUid + uidCount
/** Agents on one machine start at different ids. */
let nextUid = Math.floor(Math.random() * uidCount)

export function takeUid(): number {
  const inUse = usersOfProcesses()
  // If all are in use, one is shared.
  for (let tries = 0; tries < uidCount; tries++) {
    nextUid = (nextUid + 1) % uidCount
    if (!inUse.has(firstUid + nextUid)) break
  }
  return firstUid + nextUid
}

/** A cell of another agent may use the same id, and would be killed with ours. */
function usersOfProcesses(): Set<number> {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return new Set(pids.map((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0))
  } catch {
    return new Set()
  }
}
