// Simulates locations, checks, agents and the loops of servers, and reads the emails to owners.

import type { LocationAlarmFacts } from '../../storage/alerts/location-alarms.ts'
import { clearTables } from '../../testing/database.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'
import { raiseLocationAlarms } from './location-alarms.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const inOffice = { locations: [], privateLocations: ['office'] }

interface Mailed {
  recipient: string
  facts: LocationAlarmFacts
}

interface Life {
  agents?: readonly SimulatedAgent[]
  /** Connected agents that claim nothing. */
  idle?: readonly SimulatedAgent[]
  step?: number
}

export interface AlarmWorld extends Simulation {
  /** Resets the data and moves on to the next day. */
  newDay(): Promise<void>
  /** Minutes after the test began. */
  at(minutes: number): string
  /** One turn of the loop; returns how many alarms were opened and resolved. */
  raise(): Promise<number>
  mails(): Promise<Mailed[]>
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of the response
  alarms(): Promise<any>
  createOffice(): Promise<{ id: string; rawKey: string }>
  /** Passes time step by step, with the loops of servers; returns how many alarms were opened and resolved. */
  live(ms: number, life?: Life): Promise<number>
}

export async function startAlarmWorld(): Promise<AlarmWorld> {
  const sim = await startSimulation()
  const { alice, store } = sim.api
  let start = sim.now()
  const raise = () => raiseLocationAlarms(store.pool, sim.now())
  return {
    ...sim,
    raise,
    async newDay() {
      await clearTables(
        store,
        ...['checks', 'private_locations', 'agents', 'location_alarms', 'mails', 'servers', 'outages'],
        ...['maintenance_windows', 'coverage', 'results'],
      )
      await store.pool.query("delete from memberships where role <> 'OWNER'")
      start = Math.ceil((sim.now() + 1) / day) * day + 8 * hour
      sim.goTo(start)
    },
    at: (minutes) => new Date(start + minutes * minute).toISOString(),
    async mails() {
      const { rows } = await store.pool.query<Mailed>(
        `select recipient, facts from mails where kind = 'location_alarm' and status = 'IN_PROGRESS' and due_at = created_at
         order by created_at, recipient`,
      )
      return rows
    },
    alarms: async () => (await alice.get('/v1/location-alarms')).body,
    // The database sets created_at from its own clock.
    async createCheck(settings) {
      const check = await sim.createCheck(settings)
      await store.pool.query('update checks set created_at = $1', [new Date(sim.now())])
      return check
    },
    async createOffice() {
      const { body } = await alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
      return { id: body.id, rawKey: body.keys[0].rawKey }
    },
    async live(ms, { agents = [], idle = [], step = minute } = {}) {
      let changes = 0
      for (const end = sim.now() + ms; sim.now() < end; ) {
        sim.pass(Math.min(step, end - sim.now()))
        await sim.reap()
        for (const agent of [...agents, ...idle]) await agent.renew([])
        for (const agent of agents) await agent.report(...(await agent.claim()))
        changes += await raise()
      }
      return changes
    },
  }
}
