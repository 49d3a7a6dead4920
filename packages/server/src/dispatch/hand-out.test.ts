// Claims of several agents at the same moment.
import { randomUUID } from 'node:crypto'
import { networkCheckTypes } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Simulation, startSimulation } from '../testing/simulation.ts'
import { handOuts, type Offer } from './hand-out.ts'

let sim: Simulation
beforeAll(async () => {
  sim = await startSimulation()
  for (const location of ['eu-west-1', 'eu-west-1', 'us-east-1'])
    await sim.createCheck({ frequency: 1, locations: [location] })
})
afterAll(() => sim.close())
beforeEach(() => sim.pass(60_000))

const offerOf = (location: string, agentId: string = randomUUID()): Offer => ({
  agent: { agentId, agentName: null, isBuiltIn: false },
  locationKeys: [location],
  checkTypes: [...networkCheckTypes],
  freeNetwork: 1,
  freeCode: 0,
})

/** The number of runs of each, or the error. */
async function claimTogether(offers: readonly Offer[]): Promise<unknown[]> {
  const { store, vault, config } = sim.api
  const handOut = handOuts({ store, vault, config, clock: { now: sim.now } })
  const outcomes = await Promise.allSettled(offers.map(handOut))
  return outcomes.map((one) => (one.status === 'fulfilled' ? one.value.length : `${one.reason}`))
}

it('gives each the runs of its location, no more than it can take', async () => {
  const locations = ['eu-west-1', 'us-east-1', 'sa-east-1', 'eu-west-1', 'us-east-1']
  expect(await claimTogether(locations.map((location) => offerOf(location)))).toEqual([1, 1, 0, 1, 0])
})

it.each([
  [20, 1],
  [60, 3],
])('serves %i agents in %i transactions', async (agents, transactions) => {
  const connect = vi.spyOn(sim.api.store.pool, 'connect')
  const idle = Array.from({ length: agents }, () => offerOf('sa-east-1'))
  expect(await claimTogether(idle)).toEqual(idle.map(() => 0))
  expect(connect).toHaveBeenCalledTimes(transactions)
  connect.mockRestore()
})

it('serves the others if one of them can’t be served', async () => {
  const offers = [
    offerOf('eu-west-1'),
    offerOf('us-east-1', 'not an id that PostgreSQL accepts'),
    offerOf('eu-west-1'),
    offerOf('sa-east-1'),
  ]
  expect(await claimTogether(offers)).toEqual([
    1,
    expect.stringContaining('invalid input syntax for type uuid'),
    1,
    0,
  ])
  expect(await claimTogether([offerOf('us-east-1')])).toEqual([1])
})
