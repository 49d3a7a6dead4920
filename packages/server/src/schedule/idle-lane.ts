import type { Lane } from '../storage/runs/schedule.ts'
import type { Slot } from './lane.ts'

/** No run in progress: the lane waits for this slot. */
export function idleLane(lane: Lane, { at, location, queue }: Slot): Lane {
  return {
    ...lane,
    slotAt: at,
    location,
    queue,
    dueAt: at,
    runId: null,
    attempt: 1,
    runStartedAt: null,
    countedTo: null,
    leaseId: null,
    agentId: null,
  }
}
