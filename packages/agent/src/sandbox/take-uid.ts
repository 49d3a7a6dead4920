// Users for cells: none that a package creates or anything belongs to, and each cell has one of its own, so that limits count
// it alone and what it leaves running is known by its user.
import { readdirSync, statSync } from 'node:fs'

const firstUid = 60_200
const uidCount = 1_000
/** Agents on one machine should not begin with the same. */
let nextUid = process.pid % uidCount

export function takeUid(): number {
  const inUse = usersOfProcesses()
  // Where all are, one is shared: that is no reason to stop.
  for (let tries = 0; tries < uidCount; tries++) {
    nextUid = (nextUid + 1) % uidCount
    if (!inUse.has(firstUid + nextUid)) break
  }
  return firstUid + nextUid
}

/** Another agent's cell may have come to the same number, and would end with ours. */
function usersOfProcesses(): Set<number> {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return new Set(pids.map((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0))
  } catch {
    return new Set()
  }
}
