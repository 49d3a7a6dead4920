// An installation starts and installs nothing for code before a code check exists; a regular check then finds its host ready.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { Installation, printedRequest, type Running } from '../installation.ts'

describe('an installation with a built-in agent', { timeout: 600_000 }, () => {
  let installation: Installation
  let running: Running
  let request: ReturnType<typeof printedRequest>
  let healthPort: number

  beforeAll(async () => {
    installation = await Installation.create()
    healthPort = await freePort()
    running = await installation.start({ AGENT_HEALTH_PORT: String(healthPort) })
    request = printedRequest(running.output())
  }, 120_000)
  afterAll(() => installation.remove())

  const create = async (kind: string, body: Record<string, unknown>) => {
    const response = await fetch(new URL(`/v1/checks/${kind}`, request.url), {
      method: 'POST',
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ frequency: 1, locations: ['eu-west-1'], ...body }),
    })
    expect(response.status, await response.clone().text()).toBe(201)
    return ((await response.json()) as { id: string }).id
  }

  const results = async (id: string): Promise<{ hasErrors: boolean; hasFailures: boolean }[]> => {
    const response = await fetch(new URL(`/v1/check-results/${id}?limit=100`, request.url), request)
    const body = (await response.json()) as { hasErrors: boolean; hasFailures: boolean }[]
    return Array.isArray(body) ? body : []
  }

  const health = async () =>
    (await (await fetch(`http://127.0.0.1:${healthPort}/health`)).json()) as {
      warmHosts: { hits: number; misses: number; spares: number }
    }

  it('runs URL checks without a process for code', async () => {
    const id = await create('url', { name: 'Page', request: { url: new URL('/healthz', request.url).href } })
    await expect.poll(() => results(id), { timeout: 150_000, interval: 1_000 }).not.toEqual([])
    expect((await health()).warmHosts).toEqual({ hits: 0, misses: 0, spares: 0 })
  })

  it('has a host ready for a check of every minute, and ends it between the runs', async () => {
    const id = await create('multistep', { name: 'Steps', script: 'console.log(1)' })
    await expect
      .poll(async () => (await health()).warmHosts.hits, { timeout: 400_000, interval: 1_000 })
      .toBeGreaterThan(1)
    await expect
      .poll(async () => (await health()).warmHosts.spares, { timeout: 60_000, interval: 500 })
      .toBe(0)
    for (const result of await results(id))
      expect(result).toMatchObject({ hasErrors: false, hasFailures: false })
  })
})
