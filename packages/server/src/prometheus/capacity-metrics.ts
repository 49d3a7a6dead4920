// What the agents of each location have to do and what they can do, so that an operator or an autoscaler can add some.
import { LocationId } from '@vedette/contracts'
import { codeQueues, locationKeyOf } from '../schedule/queue.ts'
import type { Pool } from '../storage/core/db.ts'
import { listCapacity, readQueueDemand } from '../storage/runs/capacity.ts'
import type { Family, Labels } from './exposition.ts'

/** The schedule of a large installation takes a second to add up, and changes slowly. */
const demandFreshMs = 60_000

/** Private locations are combined, because they belong to accounts. */
export function regionOf(locationKey: string): string {
  return LocationId.safeParse(locationKey).success ? locationKey : 'private'
}

type Kind = 'network' | 'code'

/** Of one server, which adds the schedule up at most once a minute. */
export function capacityFamilies(pool: Pool): (now: number) => Promise<Family[]> {
  let known: { at: number; families: Promise<Family[]> } | null = null
  const readDemand = (now: number) => {
    if (known === null || Math.abs(now - known.at) >= demandFreshMs) {
      known = { at: now, families: demandFamilies(pool, now) }
      // A failure isn't kept.
      known.families.catch(() => {
        known = null
      })
    }
    return known.families
  }
  return async (now) => [...(await readDemand(now)), await slotsFamily(pool, now)]
}

async function demandFamilies(pool: Pool, now: number): Promise<Family[]> {
  const runs = new Sums()
  const wanted = new Sums()
  for (const { queue, runsPerMinute, runSeconds } of await readQueueDemand(pool, now)) {
    const locationKey = locationKeyOf(queue)
    const kind = codeQueues([locationKey]).includes(queue) ? 'code' : 'network'
    runs.add(regionOf(locationKey), kind, runsPerMinute)
    wanted.add(regionOf(locationKey), kind, (runsPerMinute / 60) * (runSeconds ?? 0))
  }
  return [
    gauge('vedette_runs_due_per_minute', 'Runs per minute that the schedule asks for.', runs),
    gauge(
      'vedette_wanted_slots',
      'Runs in progress at once, on average: runs due, times the average duration of recent ones.',
      wanted,
    ),
  ]
}

async function slotsFamily(pool: Pool, now: number): Promise<Family> {
  const slots = new Sums()
  for (const { locationKey, network, code } of await listCapacity(pool, now)) {
    slots.add(regionOf(locationKey), 'network', network)
    slots.add(regionOf(locationKey), 'code', code)
  }
  return gauge('vedette_agent_slots', 'Runs that the agents of a location can make at once.', slots)
}

class Sums {
  private readonly values = new Map<string, { labels: Labels; value: number }>()

  add(region: string, kind: Kind, by: number): void {
    const key = `${region} ${kind}`
    const value = (this.values.get(key)?.value ?? 0) + by
    this.values.set(key, { labels: { region, kind }, value })
  }

  samples() {
    return [...this.values.values()]
  }
}

function gauge(name: string, help: string, sums: Sums): Family {
  return { name, help, type: 'gauge', samples: sums.samples() }
}
