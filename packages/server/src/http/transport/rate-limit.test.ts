import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { RateLimiter } from './rate-limit.ts'

describe('RateLimiter', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  const rule = { limit: 100, seconds: 60 }

  async function countAllowed(limiters: RateLimiter[], bucket: string, calls: number): Promise<number> {
    let allowed = 0
    for (let index = 0; index < calls; index++) {
      const verdict = await (limiters[index % limiters.length] as RateLimiter).take(bucket, rule)
      if (verdict.allowed) allowed += 1
    }
    return allowed
  }

  it('lets through exactly the limit in one process', async () => {
    const limiter = new RateLimiter(database.store.pool, { now: () => 1_000_000_000 })
    expect(await countAllowed([limiter], 'one', 150)).toBe(100)
  })

  it('lets through exactly the limit when many requests come at once', async () => {
    const limiter = new RateLimiter(database.store.pool, { now: () => 1_000_000_000 })
    const verdicts = await Promise.all(Array.from({ length: 150 }, () => limiter.take('burst', rule)))
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(100)
  })

  it('applies across processes on one database', async () => {
    const clock = { now: () => 1_000_000_000 }
    const limiters = Array.from({ length: 3 }, () => new RateLimiter(database.store.pool, clock))
    expect(await countAllowed(limiters, 'three', 400)).toBe(100)
  })

  it('writes to the store in blocks, not once per request', async () => {
    const limiter = new RateLimiter(database.store.pool, { now: () => 1_000_000_000 })
    let queries = 0
    const { query } = database.store.pool
    database.store.pool.query = ((...args: Parameters<typeof query>) => {
      queries += 1
      return query.apply(database.store.pool, args)
    }) as typeof query
    try {
      for (let index = 0; index < 600; index++) await limiter.take('blocks', { limit: 600, seconds: 60 })
    } finally {
      database.store.pool.query = query
    }
    expect(queries).toBeLessThan(60)
  })

  it('starts afresh in the next window', async () => {
    let now = 1_000_000_000
    const limiter = new RateLimiter(database.store.pool, { now: () => now })
    expect(await countAllowed([limiter], 'fresh', 120)).toBe(100)
    now += 60_000
    expect(await countAllowed([limiter], 'fresh', 120)).toBe(100)
  })

  it.each([
    ['is down', () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
    ['does not respond', () => new Promise<never>(() => {})],
  ])('lets through the limit of one process while the store %s', async (state, reply) => {
    const query = vi.spyOn(database.store.pool, 'query').mockImplementation(reply)
    try {
      const limiter = new RateLimiter(database.store.pool, { now: () => 1_000_000_000 })
      expect(await countAllowed([limiter], state, 150)).toBe(100)
    } finally {
      query.mockRestore()
    }
  })
})

describe('429', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(
      { RATE_LIMIT_PER_MINUTE: '20', RATE_LIMIT_PUBLIC_PER_MINUTE: '15' },
      { now: () => 1_800_000_000_000 },
    )
  })
  afterAll(() => api.close())

  it('comes after the limit of a key, with Retry-After, and only for that key', async () => {
    const responses = []
    for (let index = 0; index < 45; index++) responses.push(await api.alice.get('/v1/snippets'))
    const refused = responses.find((response) => response.status === 429)
    expect(refused?.body).toEqual({
      statusCode: 429,
      error: 'Too Many Requests',
      message:
        'Too many requests: the limit of this API key is 20 requests per 60 seconds. Try again in 60 s.',
      attributes: { limit: 20, windowSeconds: 60, retryAfterSeconds: 60, limitOf: 'this API key' },
    })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused?.headers.get('ratelimit-remaining')).toBe('0')
    expect(responses[0]?.headers.get('ratelimit-limit')).toBe('20')
    expect((await api.bob.get('/v1/snippets')).status).toBe(200)
  })

  it('limits routes without a key, and guesses at keys, per address', async () => {
    const statuses = new Set<number>()
    for (let index = 0; index < 40; index++) statuses.add((await api.nobody.get('/v1/snippets')).status)
    expect([...statuses].sort()).toEqual([401, 429])
    const { status, body } = await api.nobody.get('/v1/static-ips')
    expect(status).toBe(429)
    expect(body.attributes).toMatchObject({ limit: 15, windowSeconds: 60, limitOf: 'this address' })
    expect((await api.nobody.get('/healthz')).status).toBe(200)
  })
})

describe('clients that send whole objects', () => {
  it('429: with Retry-After where waiting would take too long', async () => {
    // A clock that stands still: nobody would ever be let through.
    const api = await startTestApi(
      { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_FACTOR: '1' },
      { now: () => 1_800_000_000_000 },
    )
    try {
      const tenant = await api.newAccount('team')
      const path = '/v1/analytics/url-monitors/00000000-0000-4000-8000-000000000000?metrics=availability'
      const responses = []
      for (let index = 0; index < 32; index++)
        responses.push(await tenant.send('GET', path, undefined, { 'x-checkly-source': 'TF' }))
      expect(responses.filter(({ status }) => status === 404)).toHaveLength(30)
      expect(responses[31]?.status).toBe(429)
      expect(responses[31]?.headers.get('retry-after')).toBe('60')
    } finally {
      await api.close()
    }
  })

  it('have windows of ten seconds with the same rate, and a bucket of their own', async () => {
    const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '60' }, { now: () => 1_800_000_000_000 })
    try {
      const headers = { 'x-checkly-source': 'go-sdk' }
      const limited = await api.alice.send('GET', '/v1/snippets', undefined, headers)
      expect(limited.headers.get('ratelimit-limit')).toBe('10')
      expect(limited.headers.get('ratelimit-reset')).toBe('10')
      expect((await api.alice.get('/v1/snippets')).headers.get('ratelimit-remaining')).toBe('59')
    } finally {
      await api.close()
    }
  })
})

describe('limits of single routes', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(
      { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_FACTOR: '1' },
      { now: () => 1_800_000_000_000 },
    )
  })
  afterAll(() => api.close())

  const path = '/v2/check-results/00000000-0000-4000-8000-000000000000'

  it("don't apply to self-hosted accounts, which have the limit per key only", async () => {
    const statuses = []
    for (let index = 0; index < 10; index++) statuses.push((await api.alice.get(path)).status)
    expect(new Set(statuses)).toEqual(new Set([404]))
    const { headers } = await api.alice.get(path)
    expect(headers.get('ratelimit-limit')).toBe('60')
  })

  it('apply to other plans, and the 429 names the route', async () => {
    const tenant = await api.newAccount('team')
    const responses = []
    for (let index = 0; index < 7; index++) responses.push(await tenant.get(path))
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 429, 429])
    expect(responses[5]?.body.message).toBe(
      'Too many requests: the limit of this API key on GET /v2/check-results/{checkId} is 5 requests per 10 seconds. ' +
        'Try again in 10 s.',
    )
    expect((await tenant.get('/v1/snippets')).status).toBe(200)
  })

  it('follow the account that is chosen, for a key that reaches several', async () => {
    const tenant = await api.newAccount('team')
    await api.store.db
      .insertInto('memberships')
      .values({ account_id: api.alice.accountId, user_id: tenant.userId as string, role: 'READ_ONLY' })
      .execute()
    const limitIn = async (account: string) => {
      const headers = { 'x-service-account': account }
      return (await tenant.send('GET', path, undefined, headers)).headers.get('ratelimit-limit')
    }
    expect(await limitIn(tenant.accountId)).toBe('5')
    expect(await limitIn(api.alice.accountId)).toBe('60')
  })
})

describe('the address of a caller', () => {
  it.each([
    [undefined, [200, 200, 429]],
    ['true', [200, 200, 200]],
  ])('behind a proxy, with TRUST_PROXY %s, three callers get %j', async (trust, expected) => {
    const environment = {
      RATE_LIMIT_PUBLIC_PER_MINUTE: '2',
      ...(trust === undefined ? {} : { TRUST_PROXY: trust }),
    }
    const api = await startTestApi(environment, { now: () => 1_800_000_000_000 })
    try {
      const statuses = []
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
        const headers = { 'x-forwarded-for': address }
        statuses.push((await api.nobody.send('GET', '/v1/static-ips', undefined, headers)).status)
      }
      expect(statuses).toEqual(expected)
    } finally {
      await api.close()
    }
  })
})
