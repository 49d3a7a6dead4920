// Quotas of accounts, on a simulated clock.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deleteQuotas, noQuotas, putQuotas } from '../storage/accounts/quotas.ts'
import type { Caller } from '../testing/api.ts'
import { clearTables } from '../testing/database.ts'
import { type Simulation, startSimulation } from '../testing/simulation.ts'

const minute = 60_000

let sim: Simulation
let a: Caller
let b: Caller
beforeAll(async () => {
  sim = await startSimulation()
  a = sim.api.alice
  b = sim.api.bob
})
afterAll(() => sim.close())
afterEach(() => clearTables(sim.api.store, 'checks', 'quotas', 'quota_usage'))

const limit = (caller: Caller | null, quotas: Partial<typeof noQuotas>) =>
  putQuotas(sim.api.store.pool, caller?.accountId ?? null, { ...noQuotas, ...quotas })

async function createCheck(caller: Caller, settings: Record<string, unknown> = {}): Promise<string> {
  return (await sim.createCheck(settings, caller)).id
}

const createSteps = (caller: Caller) => createCheck(caller, { checkType: 'MULTI_STEP' })

const trigger = (caller: Caller, checkId: string) =>
  caller.post('/v2/check-sessions/trigger', { target: { checkId: [checkId] } })

/** Claims and reports each second, for whole minutes from the start of the next one. */
async function runFor(minutes: number, durationMs = 10, freeCode = 0): Promise<void> {
  const agent = await sim.operator(['eu-west-1'])
  sim.goTo(Math.ceil((sim.now() + 1) / minute) * minute)
  for (let at = 0; at < minutes * 60; at++) {
    const checkTypes = freeCode > 0 ? ['URL', 'MULTI_STEP'] : ['URL']
    const jobs = await agent.claim({ checkTypes, freeCode, codeSlots: freeCode })
    await agent.report(...jobs.map((job) => ({ ...job, durationMs })))
    sim.pass(1_000)
  }
}

const coverageOf = async (ids: string[]) => {
  const all = await Promise.all(ids.map((id) => sim.coverage(id)))
  const sum = (pick: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + pick(one), 0)
  return {
    executed: sum(({ executed }) => executed),
    skipped: sum(({ skipped }) => skipped),
    missed: sum(({ missed }) => missed),
    quota: sum(({ reasons }) => reasons.quota ?? 0),
  }
}

describe('runs per minute', () => {
  it('skips slots beyond it, with a reason, and leaves other accounts alone', async () => {
    await limit(a, { runsPerMinute: 3 })
    const ofA = await Promise.all(Array.from({ length: 5 }, () => createCheck(a)))
    const ofB = await Promise.all(Array.from({ length: 5 }, () => createCheck(b)))
    await runFor(3)
    const counted = await coverageOf(ofA)
    // The minute in which the checks were created has slots too.
    expect(counted.skipped).toBe(counted.quota)
    expect(counted.executed).toBeGreaterThanOrEqual(9)
    expect(counted.executed).toBeLessThanOrEqual(12)
    expect(counted.quota).toBeGreaterThanOrEqual(6)
    expect(counted.missed).toBe(0)
    expect(await coverageOf(ofB)).toMatchObject({ skipped: 0, missed: 0 })
  })

  it('applies the default to accounts without limits of their own', async () => {
    await limit(null, { runsPerMinute: 0 })
    await limit(b, {})
    const [ofA, ofB] = [await createCheck(a), await createCheck(b)]
    await runFor(2)
    expect(await coverageOf([ofA])).toMatchObject({ executed: 0 })
    expect((await coverageOf([ofA])).quota).toBeGreaterThanOrEqual(2)
    expect(await coverageOf([ofB])).toMatchObject({ quota: 0 })
    await deleteQuotas(sim.api.store.pool, null)
    await runFor(1)
    expect((await coverageOf([ofA])).executed).toBeGreaterThanOrEqual(1)
  })

  it('429: runs on request count, and those beyond it are refused until the next minute', async () => {
    const id = await createCheck(a, { frequency: 1440 })
    sim.goTo(Math.ceil((sim.now() + 1) / minute) * minute)
    await limit(a, { runsPerMinute: 2 })
    expect((await trigger(a, id)).status).toBe(201)
    expect((await trigger(a, id)).status).toBe(201)
    const refused = await trigger(a, id)
    expect(refused.status).toBe(429)
    expect(refused.body.message).toMatch(
      /^The quota of this account is 2 runs per minute; 2 were made in this one, and 1 more are requested\. Try again after 2026-11-15T\d\d:\d\d:00Z\.$/,
    )
    const { body } = await a.get('/v1/usage/quotas')
    expect(body.runsPerMinute).toEqual({ limit: 2, used: 2 })
    sim.pass(minute)
    expect((await trigger(a, id)).status).toBe(201)
  })
})

describe('code seconds per hour', () => {
  it('skips code runs when they are used up, until the next hour, and no network runs', async () => {
    sim.goTo(Math.ceil((sim.now() + 1) / 3_600_000) * 3_600_000)
    await limit(a, { codeSecondsPerHour: 60 })
    const [steps, page] = [await createSteps(a), await createCheck(a)]
    await runFor(4, 40_000, 1)
    const counted = await coverageOf([steps])
    expect(counted.executed).toBe(2)
    expect(counted.quota).toBeGreaterThanOrEqual(2)
    expect(await coverageOf([page])).toMatchObject({ quota: 0 })
    const { body } = await a.get('/v1/usage/quotas')
    expect(body.codeSecondsPerHour).toEqual({ limit: 60, used: 80 })
    const refused = await trigger(a, steps)
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringMatching(
        /60 seconds of code runs per hour, which are used up\. Try again after .*:00:00Z, or/,
      ),
    ])
    sim.goTo(Math.ceil(sim.now() / 3_600_000) * 3_600_000)
    expect((await trigger(a, steps)).status).toBe(201)
  })
})

describe('GET /v1/usage/quotas', () => {
  it('200: has no limits if the operator set none', async () => {
    const { status, body } = await b.get('/v1/usage/quotas')
    expect([status, body]).toEqual([
      200,
      {
        runsPerMinute: { limit: null, used: null },
        codeSecondsPerHour: { limit: null, used: 0 },
        artifactBytes: { limit: null, used: 0 },
      },
    ])
  })
})
