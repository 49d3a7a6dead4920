import { createApiCheck, listCheckResults } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

export function retries(scene: Scene): void {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())

  async function check(path: string, settings: object): Promise<string> {
    const made = await scene.account.call(createApiCheck, {
      body: {
        name: 'An API with retries',
        ...onDemandOnly,
        locations: ['eu-west-1'],
        request: { method: 'GET', url: site.url(path) },
        ...settings,
      },
    })
    return made.id
  }

  async function results(checkId: string, resultType: 'ALL' | 'FINAL' | 'ATTEMPT') {
    const found = await scene.account.call(listCheckResults, { params: { checkId }, query: { resultType } })
    return found.sort((one, other) => one.attempts - other.attempts)
  }

  const fixed = { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 2, sameRegion: true } as const

  it('stores each failed attempt, and passes when one of them does', async () => {
    site.on('/flaky', { status: 500 }, { status: 502 }, { status: 200 })
    const id = await check('/flaky', { retryStrategy: fixed })
    const final = await scene.account.run(id)
    expect(final).toMatchObject({ hasFailures: false, resultType: 'FINAL', attempts: 3, statusCode: 200 })
    const all = await results(id, 'ALL')
    expect(all).toMatchObject([
      { attempts: 1, resultType: 'ATTEMPT', statusCode: 500, hasFailures: true, runLocation: 'eu-west-1' },
      { attempts: 2, resultType: 'ATTEMPT', statusCode: 502, hasFailures: true, runLocation: 'eu-west-1' },
      { attempts: 3, resultType: 'FINAL', statusCode: 200, hasFailures: false, runLocation: 'eu-west-1' },
    ])
    expect(new Set(all.map(({ sequenceId }) => sequenceId)).size).toBe(1)
    const starts = all.map(({ startedAt }) => Date.parse(startedAt ?? ''))
    // The second between them is the server's; the agent's clock follows that one to some milliseconds.
    expect(starts[1] as number).toBeGreaterThan((starts[0] as number) + 800)
    expect(starts[2] as number).toBeGreaterThan((starts[1] as number) + 800)
    expect(await results(id, 'FINAL')).toHaveLength(1)
    expect(await scene.account.state(id)).toBe('passing')
  })

  it('fails when no attempt is left', async () => {
    site.on('/broken', { status: 500 })
    const id = await check('/broken', { retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 0 } })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: true, resultType: 'FINAL', attempts: 2 })
    expect(await results(id, 'ATTEMPT')).toHaveLength(1)
    expect(await scene.account.state(id)).toBe('failing')
  })

  it('retries only after network errors with onlyOn', async () => {
    site.on('/refusing', { status: 500 })
    const onlyOn = ['NETWORK_ERROR' as const]
    const id = await check('/refusing', { retryStrategy: { ...fixed, onlyOn } })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: true, attempts: 1 })
    const shop = await Site.open()
    await shop.shut()
    const strategy = { ...fixed, onlyOn, baseBackoffSeconds: 3 }
    const cut = await check('/', { retryStrategy: strategy, request: { method: 'GET', url: shop.url() } })
    const run = scene.account.run(cut)
    await until('the first attempt', async () => (await results(cut, 'ATTEMPT')).length === 1)
    await shop.reopen()
    expect(await run).toMatchObject({ hasFailures: false, attempts: 2 })
    await shop.shut()
  })
}
