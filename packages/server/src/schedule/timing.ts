import type { Lane } from '../storage/runs/schedule.ts'
import type { LaneTiming } from './lane.ts'

/** Of a lane that has slots: on-demand runs have none. */
export function timingOf({ periodMs, phaseMs, turn, locations, queues, id }: Lane): LaneTiming {
  if (periodMs === null || phaseMs === null) throw new Error(`lane ${id} has no period`)
  return { periodMs, phaseMs, turn, locations, queues }
}
