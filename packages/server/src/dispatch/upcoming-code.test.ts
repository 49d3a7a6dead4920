// What claims say about code runs that are due soon, on a simulated clock.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { clearTables } from '../testing/database.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1'])
})
afterAll(() => sim.close())
beforeEach(() => clearTables(sim.api.store, 'checks', 'check_groups'))

const types = ['URL', 'BROWSER', 'MULTI_STEP', 'PLAYWRIGHT']

async function upcoming(options: { codeSlots?: number; checkTypes?: string[]; freeCode?: number } = {}) {
  await agent.claim({ freeCode: 0, codeSlots: 2, checkTypes: types, ...options })
  return agent.nextCode
}

async function createHourly(settings: Record<string, unknown> = {}): Promise<{ id: string; dueAt: number }> {
  const { id } = await sim.createCheck({ checkType: 'BROWSER', frequency: 60, ...settings })
  return { id, dueAt: await dueAtOf(id) }
}

async function dueAtOf(checkId: string): Promise<number> {
  const [lane] = await sim.lanes(checkId)
  return Date.parse(lane?.due_at ?? '')
}

it('names a code run once it is due within a minute, with its type and runtime', async () => {
  const { id, dueAt } = await createHourly({ runtimeId: '2025.04' })
  sim.goTo(dueAt)
  await agent.report(...(await agent.claim({ freeCode: 1, checkTypes: types })))
  expect(await upcoming()).toEqual([])
  sim.goTo((await dueAtOf(id)) - 40 * second)
  expect(await upcoming()).toEqual([
    { checkId: id, type: 'BROWSER', runtimeId: '2025.04', dueInMs: 40 * second },
  ])
})

it('names a run that waits for capacity with a negative time, and none that was claimed', async () => {
  const { id, dueAt } = await createHourly()
  sim.goTo(dueAt + 5 * second)
  expect(await upcoming()).toEqual([expect.objectContaining({ checkId: id, dueInMs: -5 * second })])
  expect(await upcoming({ freeCode: 1 })).toEqual([])
})

it('uses the runtime of the group, then that of the account; a suite has none', async () => {
  const { alice } = sim.api
  const group = await alice.post('/v1/check-groups', {
    name: 'Shop',
    locations: ['eu-west-1'],
    runtimeId: '2024.09',
  })
  const grouped = await createHourly({ groupId: group.body.id, runtimeId: null })
  const single = await createHourly({ checkType: 'MULTI_STEP', runtimeId: null })
  const suite = await createHourly({ checkType: 'PLAYWRIGHT' })
  sim.goTo(Math.max(grouped.dueAt, single.dueAt, suite.dueAt))
  const runtimes = new Map((await upcoming({ codeSlots: 5 })).map((run) => [run.checkId, run.runtimeId]))
  expect(runtimes).toEqual(
    new Map([
      [grouped.id, '2024.09'],
      [single.id, expect.stringMatching(/^20\d\d\.\d\d$/)],
      [suite.id, null],
    ]),
  )
})

it('is limited to twice the code slots, the types and the location of the agent', async () => {
  const mine: number[] = []
  for (let n = 0; n < 5; n++) mine.push((await createHourly()).dueAt)
  const other = await createHourly({ locations: ['us-east-1'] })
  await createHourly({ checkType: 'URL', request: { url: 'http://127.0.0.1/' } })
  sim.goTo(Math.max(...mine, other.dueAt))
  expect(await upcoming({ codeSlots: 1 })).toHaveLength(2)
  expect(await upcoming({ codeSlots: 10 })).toHaveLength(5)
  expect(await upcoming({ checkTypes: ['URL'] })).toEqual([])
})

it('is empty for an agent of an earlier release, which sends no capacity', async () => {
  const { dueAt } = await createHourly()
  sim.goTo(dueAt)
  await agent.claim({ freeCode: 0, checkTypes: types })
  expect(agent.nextCode).toEqual([])
})
