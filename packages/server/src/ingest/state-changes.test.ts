import { randomUUID } from 'node:crypto'
import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StateChange } from '../core/state-log.ts'
import { listNamesForLog } from '../storage/checks/check-names.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { listSeenAgents, touchAgents } from '../storage/runs/agents.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { wholeResult } from '../testing/results.ts'
import { recordResults } from './record.ts'

const minute = 60_000
const start = Date.now() - 60 * minute
let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const failure = { kind: 'connect', message: 'connection refused', phase: 'connect' } as const

describe('changes of state for the log', () => {
  it('are passed on once each, after the transaction has committed', async () => {
    const { body } = await api.alice.post('/v1/checks/api', { ...checkTypes.API.example, name: 'Shop' })
    const seen: StateChange[] = []
    const stateLog = { add: (changes: readonly StateChange[]) => void seen.push(...changes) }
    const record = (minutes: number, over: object, fails = false) =>
      inTransaction(api.store.pool, async (client) => {
        const scheduledAt = start + minutes * minute
        const result = wholeResult({ accountId: api.alice.accountId, checkId: body.id, scheduledAt, ...over })
        await recordResults(client, [result], { now: scheduledAt, isAlerting: true, stateLog })
        if (fails) throw new Error('rolled back')
      })
    const failed = { hasFailures: true, failure }
    await record(0, {})
    await record(1, failed, true).catch(() => undefined)
    expect(seen).toEqual([])
    await record(2, failed)
    await record(3, failed)
    await record(4, { isDegraded: true })
    await record(5, {})
    expect(seen.map(({ from, to, at }) => [from, to, (at - start) / minute])).toEqual([
      ['passing', 'failing', 2],
      ['failing', 'degraded', 4],
      ['degraded', 'passing', 5],
    ])
    expect(seen[0]).toMatchObject({ checkId: body.id, location: 'eu-west-1', reason: 'connection refused' })
    expect(await listNamesForLog(api.store.pool, [body.id])).toEqual(new Map([[body.id, 'Shop']]))
  })
})

describe('agents for the log', () => {
  it('are those seen in the last 30 s, by kind and location', async () => {
    const location = (await api.alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' }))
      .body
    const now = Date.now()
    const agent = (over: object) => ({
      ...{
        id: randomUUID(),
        accountId: null,
        privateLocationId: null,
        agentKeyId: null,
        locations: ['eu-west-1'],
      },
      ...{ name: 'nuc', version: '1', state: 'running' as const, facts: {}, startedAtMs: now },
      ...over,
    })
    const office = agent({ accountId: api.alice.accountId, privateLocationId: location.id, locations: [] })
    const builtIn = agent({})
    const gone = agent({})
    await inTransaction(api.store.pool, async (client) => {
      await touchAgents(client, [office], now)
      await touchAgents(client, [builtIn], now)
      await touchAgents(client, [gone], now - 31_000)
    })
    const seen = await listSeenAgents(api.store.pool, now)
    expect(seen.sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { id: builtIn.id, name: 'nuc', kind: 'built-in', state: 'running', serves: 'eu-west-1' },
      { id: office.id, name: 'nuc', kind: 'private', state: 'running', serves: 'office' },
    ])
  })
})
