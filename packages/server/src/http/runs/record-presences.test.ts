import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Lease } from '../../dispatch/lease-token.ts'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import type { AgentPresence } from '../../storage/runs/agents.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { recordPresences } from './record-presences.ts'

const clock = { now: () => Date.parse('2026-11-15T08:00:00.000Z') }
let database: TestDatabase
let agentKeyId: string
beforeAll(async () => {
  database = await createTestDatabase()
  agentKeyId = (await insertAgentKey(database.store.db, 'of the operator')).id
})
afterAll(() => database.drop())

function agent(more: Partial<AgentPresence> = {}): AgentPresence {
  return {
    ...{ id: randomUUID(), accountId: null, privateLocationId: null, agentKeyId, locations: ['eu-west-1'] },
    ...{ version: '1.2.0', name: 'one', state: 'running', facts: {}, startedAtMs: clock.now(), ...more },
  }
}

const unknownLease = { laneId: 1, leaseId: randomUUID() } as Lease

it('records agents that report together with one statement, and renews no lease that is gone', async () => {
  const { store } = database
  const record = recordPresences({ store, clock })
  await record({ agent: agent(), leases: [] })
  const query = vi.spyOn(store.pool, 'query')
  const agents = [agent({ name: 'first', locations: ['eu-west-1', 'us-east-1'] }), agent({ facts: { a: 1 } })]
  const held = await Promise.all(agents.map((one) => record({ agent: one, leases: [unknownLease] })))
  expect(query).toHaveBeenCalledTimes(2)
  query.mockRestore()
  expect(held).toEqual([new Set(), new Set()])
  const { rows } = await store.pool.query(
    'select id, name, locations, facts, started_at from agents where id = any($1) order by name',
    [agents.map(({ id }) => id)],
  )
  const started = { started_at: new Date(clock.now()).toISOString() }
  expect(rows).toMatchObject([
    { id: agents[0]?.id, name: 'first', locations: ['eu-west-1', 'us-east-1'], facts: {}, ...started },
    { id: agents[1]?.id, name: 'one', locations: ['eu-west-1'], facts: { a: 1 }, ...started },
  ])
})

it('does not let a few agents wait for others', async () => {
  const record = recordPresences({ store: database.store, clock })
  const mine = agent()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    for (let turn = 0; turn < 3; turn++) expect(await record({ agent: mine, leases: [] })).toEqual(new Set())
  } finally {
    vi.useRealTimers()
  }
})

it('an id that belongs to another key, in the same moment too, is refused', async () => {
  const record = recordPresences({ store: database.store, clock })
  const mine = agent()
  await record({ agent: mine, leases: [] })
  const builtIn = { ...mine, agentKeyId: null }
  const both = await Promise.all([
    record({ agent: builtIn, leases: [] }),
    record({ agent: mine, leases: [] }),
    record({ agent: agent(), leases: [] }),
  ])
  expect(both).toEqual([null, new Set(), new Set()])
})

it('what PostgreSQL refuses of one agent concerns only that one', async () => {
  const record = recordPresences({ store: database.store, clock })
  await record({ agent: agent(), leases: [] })
  const ofDeletedLocation = agent({ agentKeyId: null, privateLocationId: randomUUID() })
  for (const refused of [agent({ facts: { note: '\0' } }), ofDeletedLocation]) {
    const outcomes = await Promise.allSettled([
      record({ agent: refused, leases: [] }),
      record({ agent: agent(), leases: [] }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  }
})
