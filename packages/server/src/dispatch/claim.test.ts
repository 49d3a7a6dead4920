import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../storage/core/transaction.ts'
import { type Simulation, startSimulation } from '../testing/simulation.ts'
import { type ClaimedLane, claimDue, type Taker } from './claim.ts'

let sim: Simulation
beforeAll(async () => {
  sim = await startSimulation()
  for (const location of ['eu-west-1', 'eu-west-1', 'eu-west-1', 'us-east-1', 'ap-south-1'])
    await sim.createCheck({ frequency: 1, locations: [location] })
})
afterAll(() => sim.close())

/** All runs have been due since then. */
async function beDue(lateMs: number): Promise<void> {
  sim.pass(60_000)
  const sql = 'update schedule set due_at = to_timestamp($1 / 1000.0)'
  await sim.api.store.pool.query(sql, [sim.now() - lateMs])
}

function taker(queue: string, limit: number): Taker {
  return {
    agent: { agentId: crypto.randomUUID(), agentName: null, isBuiltIn: false },
    queues: [queue],
    limit,
  }
}

function claim(takers: Taker[], checkTypes: string[] | null = null): Promise<ClaimedLane[]> {
  const request = { takers, checkTypes, now: sim.now(), until: sim.now() }
  return inTransaction(sim.api.store.pool, (client) => claimDue(client, request))
}

const queuesOf = (lanes: readonly ClaimedLane[], { agent }: Taker) =>
  lanes.filter(({ agentId }) => agentId === agent.agentId).map(({ queue }) => queue)

describe.each([
  ['that are due', 0],
  ['that are late', 5_000],
])('a claim of several agents, of runs %s', (_, lateMs) => {
  it('gives each the runs of its queue, no more than it can take; the others stay due', async () => {
    await beDue(lateMs)
    const [eu, us, idle] = [taker('eu-west-1', 2), taker('us-east-1', 5), taker('sa-east-1', 5)]
    const lanes = await claim([eu, us, idle])
    expect(queuesOf(lanes, eu)).toEqual(['eu-west-1', 'eu-west-1'])
    expect(queuesOf(lanes, us)).toEqual(['us-east-1'])
    expect(lanes).toHaveLength(3)
    const [next, last] = [taker('eu-west-1', 1), taker('ap-south-1', 1)]
    const rest = await claim([next, last])
    expect([queuesOf(rest, next), queuesOf(rest, last)]).toEqual([['eu-west-1'], ['ap-south-1']])
    expect(await claim([eu, us, next, last])).toEqual([])
  })

  it('divides the runs of a queue among those that serve it', async () => {
    await beDue(lateMs)
    const [first, second] = [taker('eu-west-1', 2), taker('eu-west-1', 2)]
    const lanes = await claim([first, second], ['URL'])
    expect([queuesOf(lanes, first).length, queuesOf(lanes, second).length]).toEqual([2, 1])
    expect(await claim([first, second], ['TCP'])).toEqual([])
  })
})
