// Reports of many agents that arrive together, over the real routes.
import type { Job } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

let sim: Simulation
let agents: SimulatedAgent[]

beforeAll(async () => {
  sim = await startSimulation()
  agents = await Promise.all(Array.from({ length: 12 }, () => sim.operator(['eu-west-1'])))
})
afterAll(() => sim.close())

/** Runs for each agent. */
async function claimEach(count: number): Promise<Job[][]> {
  sim.pass(60_000)
  const claims: Job[][] = []
  for (const agent of agents) claims.push(await agent.claim({ freeNetwork: count }))
  expect(claims.map(({ length }) => length)).toEqual(agents.map(() => count))
  return claims
}

it('settles results of many agents together, and a result that can’t be stored blocks no other', async () => {
  for (let index = 0; index < 3 * agents.length; index++) await sim.createCheck()
  const claims = await claimEach(3)
  const report = (run: number, more: (index: number) => object = () => ({})) =>
    agents.map((agent, index) => () => agent.report({ ...(claims[index]?.[run] as Job), ...more(index) }))
  for (const send of report(0)) expect(await send()).toEqual([true])

  const connect = vi.spyOn(sim.api.store.pool, 'connect')
  const accepted = await Promise.all(report(1).map((send) => send()))
  expect(accepted.flat()).toEqual(agents.map(() => true))
  expect(connect.mock.calls.length).toBeLessThan(agents.length / 2)
  connect.mockRestore()

  const outOfRange = (index: number) => (index === 5 ? { startedAt: 1e300 } : {})
  const others = await Promise.all(report(2, outOfRange).map((send) => send()))
  expect(others.flat()).toEqual(agents.map((_, index) => index !== 5))
})
