import { defaultRuntimeId, Runtime, runtimeIds, runtimes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('GET /v1/runtimes', () => {
  it('200: lists every runtime that a check can name, to any key', async () => {
    const reader = await api.as('READ_ONLY')
    const { status, body } = await reader.get('/v1/runtimes')
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(runtimeIds)
  })

  it("200: lists connected agents that couldn't load a runtime", async () => {
    const { rawKey } = await insertAgentKey(api.store.db, 'test')
    const presence = (state: string, message: string) =>
      api.nobody.send(
        'POST',
        '/agent/v1/presence',
        {
          agentId: '5b0c6f2e-2f0e-4a52-9a36-0d9a5a0c7a11',
          version: '0.1.0',
          locations: ['eu-west-1'],
          state,
          startedAt: Date.now(),
          leases: [],
          facts: { runtimeProblems: { '2025.04': message } },
        },
        { authorization: `Bearer ${rawKey}` },
      )
    expect((await presence('running', 'Cannot find module')).status).toBe(200)
    const problems = [{ agentName: null, message: 'Cannot find module' }]
    expect((await api.alice.get('/v1/runtimes/2025.04')).body.problems).toEqual(problems)
    const { body } = await api.alice.get('/v1/runtimes')
    const named = body
      .filter((runtime: z.output<typeof Runtime>) => runtime.problems)
      .map(({ name }: { name: string }) => name)
    expect(named).toEqual(['2025.04'])
    await presence('draining', 'Cannot find module')
    expect((await api.alice.get('/v1/runtimes/2025.04')).body).not.toHaveProperty('problems')
  })

  it('200: needs no key, but then has no problems of agents', async () => {
    const { rawKey } = await insertAgentKey(api.store.db, 'of the operator')
    const presence = {
      agentId: '5b0c6f2e-2f0e-4a52-9a36-0d9a5a0c7a12',
      version: '0.1.0',
      locations: ['eu-west-1'],
      state: 'running',
      startedAt: Date.now(),
      leases: [],
      facts: { runtimeProblems: { '2024.09': 'Cannot find module' } },
    }
    await api.nobody.send('POST', '/agent/v1/presence', presence, { authorization: `Bearer ${rawKey}` })
    const { status, body } = await api.nobody.get('/v1/runtimes')
    expect(status).toBe(200)
    expect(body).toEqual(runtimes)
    expect(JSON.stringify((await api.alice.get('/v1/runtimes')).body)).toContain('Cannot find module')
    const wrong = await api.nobody.send('GET', '/v1/runtimes', undefined, {
      authorization: 'Bearer vu_wrong',
    })
    expect(wrong.body).toEqual(runtimes)
  })

  it('200: command-line clients get everything that scripts can import', async () => {
    const headers = { 'x-checkly-source': 'CLI' }
    const { body } = await api.nobody.send('GET', '/v1/runtimes', undefined, headers)
    const newest = body.find(({ name }: { name: string }) => name === '2026.04')
    expect(newest.dependencies).toMatchObject({
      ...runtimes.find(({ name }) => name === '2026.04')?.dependencies,
      os: '24.13.1',
      'node:net': '24.13.1',
      'fs/promises': '24.13.1',
      'lodash/fp': '4.17.23',
    })
    expect(body.find(({ name }: { name: string }) => name === '2022.10').dependencies).not.toHaveProperty(
      'node:readline/promises',
    )
  })

  it('401: one runtime needs a key', async () => {
    expect((await api.nobody.get('/v1/runtimes/2026.04')).status).toBe(401)
  })
})

describe('GET /v1/runtimes/{id}', () => {
  it('200: shows Node.js, stage, end of life and packages', async () => {
    const { status, body } = await api.alice.get('/v1/runtimes/2025.04')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: '2025.04',
      nodeJsVersion: 'v22.11.0',
      multiStepSupport: true,
      stage: 'STABLE',
    })
    expect(body.dependencies.playwright).toBe('1.51.1')
  })

  it('404: an unknown runtime', async () => {
    expect((await api.alice.get('/v1/runtimes/2099.01')).status).toBe(404)
  })
})

describe('the manifests', () => {
  const facts = [
    ['2026.04', 'v24.13.1', '1.58.2', 69],
    ['2025.04', 'v22.11.0', '1.51.1', 64],
    ['2024.09', 'v18.20.3', '1.48.2', 63],
    ['2024.02', 'v18.20.3', '1.42.1', 63],
    ['2023.09', 'v18.20.3', '1.38.1', 39],
    ['2023.02', 'v16.20.2', '1.32.3', 34],
    ['2022.10', 'v16.20.2', '1.28.0', 22],
  ]
  it('have the versions and the packages of each runtime', () => {
    const seen = runtimes.map(({ name, nodeJsVersion, dependencies }) => [
      name,
      nodeJsVersion,
      dependencies.playwright,
      Object.keys(dependencies).length,
    ])
    expect(seen).toEqual(facts)
  })

  it.each(runtimes)('$name is whole, and its Playwright and test package agree', (runtime) => {
    expect(Runtime.parse(runtime)).toEqual(runtime)
    expect(runtime.runtimeEndOfLife).toMatch(/^\d{1,2}\/\d{1,2}\/\d{4}$/)
    expect(runtime.dependencies['@playwright/test']).toBe(runtime.dependencies.playwright)
    for (const version of Object.values(runtime.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('have one current runtime, which new accounts get', () => {
    const current = runtimes.filter(({ stage }) => stage === 'CURRENT')
    expect(current.map(({ name }) => name)).toEqual([defaultRuntimeId])
  })
})
