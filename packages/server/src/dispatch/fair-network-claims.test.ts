// How accounts share the capacity of an agent for network checks, on a simulated clock.

import { type Job, networkCheckTypes } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../testing/api.ts'
import { clearTables } from '../testing/database.ts'
import { type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000

let sim: Simulation
let a: Caller
let b: Caller
beforeAll(async () => {
  sim = await startSimulation()
  a = sim.api.alice
  b = sim.api.bob
})
afterAll(() => sim.close())
beforeEach(() => clearTables(sim.api.store, 'checks'))

/** Checks with one due run each: the last one has been due for `lateMs`, each other one for a millisecond more than the next. */
async function createDue(
  caller: Caller,
  count: number,
  lateMs: number,
  location = 'eu-west-1',
): Promise<void> {
  const { id } = await sim.createCheck({ frequency: 60, locations: [location] }, caller)
  const { pool } = sim.api.store
  const { rowCount } = await pool.query(
    `with copies as (
       insert into checks select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
       from checks c cross join generate_series(1, $2::int) where c.id = $1
       returning account_id, id
     ), numbered as (
       select account_id, id, to_timestamp(($3 - row_number() over () + 1) / 1000.0) as due_at from copies
     )
     insert into schedule (account_id, check_id, lane, locations, queues, period_ms, phase_ms, slot_at, location, queue, due_at)
     select n.account_id, n.id, s.lane, s.locations, s.queues, s.period_ms,
       (extract(epoch from n.due_at) * 1000)::bigint % s.period_ms, n.due_at, s.location, s.queue, n.due_at
     from numbered n cross join schedule s where s.check_id = $1`,
    [id, count, sim.now() - lateMs],
  )
  expect(rowCount).toBe(count)
  await pool.query('delete from checks where id = $1', [id])
}

const countOf = (jobs: readonly Job[], { accountId }: Caller) =>
  jobs.filter((job) => job.accountId === accountId).length

describe('with 3,000 runs of one account that are 30 s late', () => {
  beforeEach(() => createDue(a, 3_000, 30 * second))

  it.each([
    ['all types', networkCheckTypes],
    ['some types', ['URL']],
  ])(
    'ten runs of another account start with the next claim of an agent for %s',
    async (_name, checkTypes) => {
      await createDue(b, 10, 0)
      const agent = await sim.operator(['eu-west-1'])
      const jobs = await agent.claim({ freeNetwork: 100, checkTypes })
      expect([countOf(jobs, a), countOf(jobs, b)]).toEqual([90, 10])
      const ofA = jobs.filter(({ accountId }) => accountId === a.accountId)
      const oldest = sim.now() - 30 * second - 2_999
      expect(ofA.map(({ scheduledAt }) => scheduledAt - oldest).sort((x, y) => x - y)).toEqual([
        ...Array(90).keys(),
      ])
      expect(countOf(await agent.claim({ freeNetwork: 100, checkTypes }), a)).toBe(100)
    },
  )

  it('ten runs of another account take turns with them in claims of one run', async () => {
    await createDue(b, 10, 0)
    const agent = await sim.operator(['eu-west-1'])
    const claimed: Job[] = []
    // Chance decides between two accounts: with 100 claims, fewer than ten for one of them don't happen.
    while (countOf(claimed, b) < 10 && claimed.length < 100)
      claimed.push(...(await agent.claim({ freeNetwork: 1, checkTypes: networkCheckTypes })))
    expect(countOf(claimed, b)).toBe(10)
    expect(countOf(claimed, a)).toBeGreaterThan(0)
  })

  it('agents that claim at the same time get different runs, and no run of the other account waits', async () => {
    await createDue(b, 10, 0)
    const agents = await Promise.all([1, 2, 3].map(() => sim.operator(['eu-west-1'])))
    const claims = await Promise.all(agents.map((agent) => agent.claim({ freeNetwork: 50 })))
    const jobs = claims.flat()
    expect(new Set(jobs.map(({ runId }) => runId)).size).toBe(150)
    expect([countOf(jobs, a), countOf(jobs, b)]).toEqual([140, 10])
  })
})

describe('when several accounts have more late runs than an agent can make', () => {
  it('each gets the same number', async () => {
    const c = await sim.api.newAccount()
    await createDue(a, 300, 50 * second)
    await createDue(b, 300, 30 * second)
    await createDue(c, 300, 10 * second)
    const agent = await sim.operator(['eu-west-1'])
    const jobs = await agent.claim({ freeNetwork: 90 })
    expect([a, b, c].map((caller) => countOf(jobs, caller))).toEqual([30, 30, 30])
  })

  it('an account with runs in two locations of the agent has one share', async () => {
    await createDue(a, 100, 30 * second)
    await createDue(a, 100, 30 * second, 'us-east-1')
    await createDue(b, 100, 20 * second)
    const agent = await sim.operator(['eu-west-1', 'us-east-1'])
    const jobs = await agent.claim({ freeNetwork: 60 })
    expect([countOf(jobs, a), countOf(jobs, b)]).toEqual([30, 30])
  })
})

describe('while runs start less than two seconds late', () => {
  it('the oldest are first, of any account', async () => {
    await createDue(a, 100, second)
    await createDue(b, 10, 0)
    const agent = await sim.operator(['eu-west-1'])
    const jobs = await agent.claim({ freeNetwork: 50 })
    expect([countOf(jobs, a), countOf(jobs, b)]).toEqual([50, 0])
  })
})
