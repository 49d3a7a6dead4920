// Runs that are handed out before they are due, on a simulated clock, over the real routes and a real store.
import type { Job } from '@vedette/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000
const minute = 60 * second

let sim: Simulation
let agent: SimulatedAgent
let paths: string[] = []

beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1'])
})
afterEach(async () => {
  for (const path of paths) await sim.api.alice.delete(path)
  paths = []
})
afterAll(() => sim.close())

const claim = () => agent.claim({ aheadMs: 3 * second })

/** A check whose first slot is in two seconds. */
async function checkDueSoon() {
  sim.goTo(Math.ceil((sim.now() + 1) / (60 * minute)) * 60 * minute)
  const { id } = await sim.createCheck({ tags: ['shop'] })
  paths.push(`/v1/checks/${id}`)
  sim.pass(minute - 2 * second)
  return { id, slotAt: sim.now() + 2 * second }
}

async function nextSlotOf(checkId: string): Promise<string | undefined> {
  return (await sim.lanes(checkId))[0]?.slot_at
}

const iso = (instant: number) => new Date(instant).toISOString()

describe('an agent that takes runs ahead', () => {
  it('gets a run that is due soon, once, with the time of its start', async () => {
    const { id, slotAt } = await checkDueSoon()
    const jobs = await claim()
    expect(jobs).toMatchObject([{ checkId: id, scheduledAt: slotAt, startAt: slotAt }])
    sim.pass(2 * second)
    expect(await claim()).toEqual([])
    expect(await agent.report(...jobs)).toEqual([true])
    expect(await nextSlotOf(id)).toBe(iso(slotAt + minute))
    expect(await sim.coverage(id)).toMatchObject({ executed: 1, skipped: 0, missed: 0 })
  })

  it('gets none that is due later than it takes them', async () => {
    await checkDueSoon()
    expect(await agent.claim({ aheadMs: 2 * second - 1 })).toEqual([])
    // An agent of an earlier release.
    expect(await agent.claim()).toEqual([])
  })

  it('starts a run at once that is due', async () => {
    const { id } = await checkDueSoon()
    sim.pass(2 * second)
    const [job] = await claim()
    expect(job).toMatchObject({ checkId: id })
    expect(job).not.toHaveProperty('startAt')
  })

  it('hands a run back that it did not start: it is due in its slot', async () => {
    const { id, slotAt } = await checkDueSoon()
    const [job] = await claim()
    await agent.report({ ...(job as Job), outcome: 'cancelled' })
    expect(await agent.claim()).toEqual([])
    sim.pass(2 * second)
    expect(await agent.claim()).toMatchObject([{ checkId: id, scheduledAt: slotAt }])
  })

  it('can report to a server whose clock is behind: the slot is not run again', async () => {
    const { id, slotAt } = await checkDueSoon()
    const jobs = await claim()
    expect(await agent.report(...jobs)).toEqual([true])
    expect(await nextSlotOf(id)).toBe(iso(slotAt + minute))
  })

  it.each([
    ['begins', { from: -second, to: 5 * minute }, { executed: 0, skipped: 1 }],
    ['ends', { from: -5 * minute, to: -second }, { executed: 1, skipped: 0 }],
    ['lasts', { from: -5 * minute, to: 5 * minute }, { executed: 0, skipped: 1 }],
  ])('follows maintenance that %s meanwhile', async (_name, { from, to }, expected) => {
    const { id, slotAt } = await checkDueSoon()
    const window = await sim.api.alice.post('/v1/maintenance-windows', {
      ...{ name: 'Upgrade', tags: ['shop'], repeatUnit: 'DAY' },
      startsAt: iso(slotAt + from),
      endsAt: iso(slotAt + to),
    })
    paths.push(`/v1/maintenance-windows/${window.body.id}`)
    expect(await claim()).toEqual([])
    sim.pass(2 * second)
    await agent.report(...(await claim()))
    expect(await sim.coverage(id)).toMatchObject({ ...expected, missed: 0 })
    expect(await nextSlotOf(id)).toBe(iso(slotAt + minute))
  })
})
