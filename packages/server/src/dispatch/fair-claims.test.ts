// How accounts share the code slots of an agent, on a simulated clock.

import type { Job } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../testing/api.ts'
import { clearTables } from '../testing/database.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

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
beforeEach(() => clearTables(sim.api.store, 'checks', 'code_turns'))

/** Runs once a day, and on demand. */
async function createCheck(caller: Caller, settings: Record<string, unknown> = {}): Promise<string> {
  return (await sim.createCheck({ checkType: 'MULTI_STEP', frequency: 1440, ...settings }, caller)).id
}

async function trigger(caller: Caller, checkId: string): Promise<void> {
  const response = await caller.post('/v2/check-sessions/trigger', { target: { checkId: [checkId] } })
  expect(response.status, response.text).toBe(201)
}

/** An agent whose runs take a fixed number of seconds for each account. */
class BusyAgent {
  readonly #agent: SimulatedAgent
  readonly #slots: number
  readonly #seconds: Record<string, number>
  #running: { job: Job; endsAt: number }[] = []
  /** In the order of their claims. */
  readonly started: { accountId: string; at: number; lagMs: number }[] = []

  constructor(agent: SimulatedAgent, slots: number, seconds: Record<string, number>) {
    this.#agent = agent
    this.#slots = slots
    this.#seconds = seconds
  }

  /** Reports runs that have ended, renews the others, and claims runs for free slots. */
  async step(): Promise<Job[]> {
    const now = sim.now()
    const ended = this.#running.filter(({ endsAt }) => endsAt <= now)
    this.#running = this.#running.filter(({ endsAt }) => endsAt > now)
    if (ended.length > 0) await this.#agent.report(...ended.map(({ job }) => job))
    await this.#agent.renew(this.#running.map(({ job }) => job))
    const jobs = await this.#agent.claim({
      freeCode: this.#slots - this.#running.length,
      codeSlots: this.#slots,
      checkTypes: ['MULTI_STEP', 'BROWSER'],
    })
    for (const job of jobs) {
      const { accountId, scheduledAt } = job
      if (job.source === 'session') this.started.push({ accountId, at: now, lagMs: now - scheduledAt })
      this.#running.push({ job, endsAt: now + (this.#seconds[accountId] ?? 1) * second })
    }
    expect(this.#running.length).toBeLessThanOrEqual(this.#slots)
    return jobs
  }

  running(accountId: string): number {
    return this.#running.filter(({ job }) => job.accountId === accountId).length
  }
}

const agentWith = async (slots: number, seconds: Record<string, number> = {}) =>
  new BusyAgent(await sim.operator(['eu-west-1']), slots, seconds)

describe('with two slots and six runs of 20 s of one account waiting', () => {
  it("another account's run starts with the next claim, and so do its 24 runs over two minutes", async () => {
    const agent = await agentWith(2, { [a.accountId]: 20, [b.accountId]: 1 })
    const long = await createCheck(a)
    const short = await createCheck(b)
    for (let n = 0; n < 6; n++) await trigger(a, long)
    for (let at = 0; at < 120; at++) {
      if (at % 5 === 2) await trigger(b, short)
      await agent.step()
      expect(agent.running(a.accountId)).toBeLessThanOrEqual(1)
      sim.pass(second)
    }
    const ofB = agent.started.filter(({ accountId }) => accountId === b.accountId)
    expect(ofB).toHaveLength(24)
    expect(Math.max(...ofB.map(({ lagMs }) => lagMs))).toBe(0)
    expect(agent.started.filter(({ accountId }) => accountId === a.accountId)).toHaveLength(6)
  })

  it('a run that has ended but is not reported yet still counts', async () => {
    const agent = await sim.operator(['eu-west-1'])
    const [long, short] = [await createCheck(a), await createCheck(b)]
    for (let n = 0; n < 2; n++) await trigger(a, long)
    await trigger(b, short)
    const offer = { codeSlots: 2, checkTypes: ['MULTI_STEP'] }
    const accounts = async (freeCode: number) =>
      (await agent.claim({ ...offer, freeCode })).map(({ accountId }) => accountId)
    expect((await accounts(2)).sort()).toEqual([a.accountId, b.accountId].sort())
    expect(await accounts(1)).toEqual([])
  })

  it('that account gets all slots while no other account has a code check at that location', async () => {
    const agent = await agentWith(2, { [a.accountId]: 20 })
    await createCheck(b, { locations: ['us-west-1'] })
    const monitor = {
      name: 'Page',
      locations: ['eu-west-1'],
      request: { url: 'http://127.0.0.1/', method: 'GET' },
    }
    expect((await b.post('/v1/checks/url', { ...monitor, frequency: 10 })).status).toBe(201)
    const long = await createCheck(a)
    for (let n = 0; n < 3; n++) await trigger(a, long)
    await agent.step()
    expect(agent.running(a.accountId)).toBe(2)
  })

  it('that account gets all slots a day after the deactivated check of another account last changed', async () => {
    const agent = await agentWith(2, { [a.accountId]: 20 })
    const idle = await createCheck(b, { activated: false })
    const long = await createCheck(a)
    for (let n = 0; n < 3; n++) await trigger(a, long)
    await agent.step()
    expect(agent.running(a.accountId)).toBe(1)
    await sim.api.store.pool.query(
      "update checks set created_at = created_at - interval '9 days' where id = $1",
      [idle],
    )
    await agent.step()
    expect(agent.running(a.accountId)).toBe(2)
  })
})

describe('with one slot', () => {
  it('accounts take turns, even if one has older runs', async () => {
    const agent = await agentWith(1)
    const c = await sim.api.newAccount()
    const checks = new Map([[a, await createCheck(a)] as const])
    for (const caller of [b, c]) checks.set(caller, await createCheck(caller))
    for (const [caller, id] of checks) for (let n = 0; n < 3; n++) await trigger(caller, id)
    for (let n = 0; n < 9; n++) {
      await agent.step()
      sim.pass(second)
    }
    const turns = agent.started.map(({ accountId }) => accountId)
    expect(turns).toHaveLength(9)
    for (let round = 0; round < 9; round += 3) expect(new Set(turns.slice(round, round + 3)).size).toBe(3)
  })
})

describe('with several agents and claims at the same time', () => {
  it('each run is handed out once, and each agent keeps a slot free for the other account', async () => {
    const agents = await Promise.all([agentWith(3), agentWith(3), agentWith(3)])
    const long = await createCheck(a)
    await createCheck(b)
    for (let n = 0; n < 6; n++) await trigger(a, long)
    const claimed: Job[] = []
    // A claim skips runs that another one holds, so several rounds may be needed.
    for (let round = 0; round < 20 && claimed.length < 6; round++)
      claimed.push(...(await Promise.all(agents.map((agent) => agent.step()))).flat())
    expect(new Set(claimed.map(({ runId }) => runId)).size).toBe(6)
    expect(claimed).toHaveLength(6)
    expect(agents.map((agent) => agent.running(a.accountId))).toEqual([2, 2, 2])
  })
})
