import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ BODY_LIMIT_BYTES: '100000' })
})
afterAll(() => api.close())

const snippet = { name: 'a', script: 'b' }

function raw(init: RequestInit & { path?: string }): Promise<Response> {
  return fetch(api.url + (init.path ?? '/v1/snippets'), {
    method: 'POST',
    ...init,
    headers: {
      authorization: `Bearer ${api.alice.key}`,
      'content-type': 'application/json',
      ...init.headers,
    },
  })
}

describe('every error', () => {
  const shape = { error: expect.any(String), message: expect.any(String), attributes: expect.any(Object) }

  it('404: an unknown route responds in the common error format', async () => {
    const { status, body } = await api.alice.get('/v1/nothing-here')
    expect(status).toBe(404)
    expect(body).toEqual({ statusCode: 404, ...shape })
  })

  it('405: a known path with another method names the allowed methods', async () => {
    const { status, body, headers } = await api.alice.patch('/v1/snippets/5', {})
    expect(status).toBe(405)
    expect(headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PUT'])
    expect(body).toEqual({ statusCode: 405, ...shape })
  })

  it("405: a fixed path isn't matched as an id", async () => {
    const { status, headers } = await api.alice.put('/v1/checks/api', {})
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('POST')
  })

  it('431: an address that is too long', async () => {
    const { status, body } = await api.alice.get(`/v1/snippets?x=${'y'.repeat(70_000)}`)
    expect(status).toBe(431)
    expect(body).toEqual({ statusCode: 431, ...shape })
  })

  it('400: malformed JSON', async () => {
    const response = await raw({ body: '{"name": ' })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      statusCode: 400,
      ...shape,
      message: 'The request body is not valid JSON.',
    })
  })

  it('400: JSON that is not UTF-8', async () => {
    const response = await raw({ body: Buffer.from('{"name": "caf\xe9"}', 'latin1') })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'The request body is not valid JSON.' })
  })

  it('400: a body is required where one is', async () => {
    const response = await raw({})
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ attributes: { body: 'is required' } })
  })

  it('415: another content type', async () => {
    const response = await raw({
      body: 'name=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(415)
    expect(await response.json()).toEqual({ statusCode: 415, ...shape })
  })

  it('413: too large a body', async () => {
    const response = await raw({ body: JSON.stringify({ ...snippet, script: 'x'.repeat(200_000) }) })
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ statusCode: 413, ...shape })
  })

  it('413: a small body that inflates to a large one', async () => {
    const body = gzipSync(JSON.stringify({ ...snippet, script: 'x'.repeat(5_000_000) }))
    expect(body.length).toBeLessThan(100_000)
    const response = await raw({ body, headers: { 'content-encoding': 'gzip' } })
    expect(response.status).toBe(413)
  })

  it('400: a malformed escape in the path is a bad request', async () => {
    const response = await raw({ method: 'GET', path: '/v1/snippets/%E0%A4%A' })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ statusCode: 400, ...shape })
  })

  it('500: a bug reveals no internals', async () => {
    await api.store.pool.query('alter table snippets rename to snippets_gone')
    try {
      const { status, text, body } = await api.alice.get('/v1/snippets')
      expect(status).toBe(500)
      expect(body).toEqual({ statusCode: 500, ...shape, attributes: {} })
      expect(text).not.toMatch(/snippets|relation|select/i)
    } finally {
      await api.store.pool.query('alter table snippets_gone rename to snippets')
    }
  })
})

describe('authentication', () => {
  it('401: without a key, with a wrong one, and with another scheme', async () => {
    expect((await api.nobody.get('/v1/snippets')).status).toBe(401)
    for (const authorization of ['Bearer vu_00000000000000000000000000000000', 'Basic abc', 'Bearer', '']) {
      const response = await raw({ method: 'GET', headers: { authorization } })
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({
        statusCode: 401,
        error: 'Unauthorized',
        message: authorization.startsWith('Bearer ')
          ? 'Bad Token'
          : expect.stringMatching(/^No API key was sent/),
        attributes: {},
      })
    }
  })

  it('200: the account header and its alias choose the account', async () => {
    for (const name of ['x-service-account', 'x-checkly-account']) {
      const own = await raw({ method: 'GET', headers: { [name]: api.alice.accountId } })
      expect(own.status).toBe(200)
    }
  })

  it('404: the same for an account without a role, an unknown one and an invalid id', async () => {
    const responses = await Promise.all(
      [api.bob.accountId, '00000000-0000-4000-8000-000000000000', 'nonsense'].map((account) =>
        raw({ method: 'GET', headers: { 'x-service-account': account } }),
      ),
    )
    const bodies = await Promise.all(responses.map((response) => response.json()))
    expect(responses.map((response) => response.status)).toEqual([404, 404, 404])
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
  })

  it('400: a key of several accounts needs the header', async () => {
    const both = await api.newAccount()
    await api.store.db
      .insertInto('memberships')
      .values({ account_id: api.alice.accountId, user_id: both.userId as string, role: 'READ_ONLY' })
      .execute()
    const unclear = await both.get('/v1/snippets')
    expect(unclear.status).toBe(400)
    expect(unclear.body.message).toContain('x-service-account')
    const chosen = await both.send('GET', '/v1/snippets', undefined, {
      'x-service-account': api.alice.accountId,
    })
    expect(chosen.status).toBe(200)
    const forbidden = await both.send('POST', '/v1/snippets', snippet, {
      'x-service-account': api.alice.accountId,
    })
    expect(forbidden.status).toBe(403)
  })

  it('stores keys hashed only', async () => {
    const { rows } = await api.store.pool.query('select * from api_keys')
    expect(JSON.stringify(rows)).not.toContain(api.alice.key)
  })
})

describe('bodies and responses', () => {
  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['broken JSON', 'application/json', '{'],
    ['another encoding', 'text/plain', 'x'],
  ])("201: %s isn't read by a route without a body", async (_what, type, body) => {
    const path = '/v1/accounts/me/prometheus-tokens'
    const response = await raw({ path, body, headers: { 'content-type': type } })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ id: expect.anything() })
  })

  it('201: gzip and brotli bodies are read', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const response = await raw({
        body: compress(JSON.stringify(snippet)),
        headers: { 'content-encoding': encoding },
      })
      expect(response.status).toBe(201)
    }
  })

  it("400: a body that doesn't match its encoding", async () => {
    const response = await raw({ body: 'not gzip', headers: { 'content-encoding': 'gzip' } })
    expect(response.status).toBe(400)
  })

  it.each([
    ['GET', '/v1/snippets', 'application/json', null, 200],
    ['GET', '/s/nobody', 'application/json', null, 404],
    ['POST', '/v1/snippets', 'text/plain', 'not gzip', 415],
    ['POST', '/v1/nothing-here', 'application/json', 'not gzip', 404],
  ])(
    '%s %s of %s: a broken encoding that nobody reads harms nobody',
    async (method, path, type, body, status) => {
      for (const encoding of ['gzip', 'deflate', 'br']) {
        const headers = { 'content-type': type, 'content-encoding': encoding }
        const response = await raw({ method, path, headers, ...(body === null ? {} : { body }) })
        expect(response.status, encoding).toBe(status)
        await response.text()
      }
      expect((await api.alice.get('/v1/snippets')).status).toBe(200)
    },
  )

  it('200: responses are compressed on request', async () => {
    await api.alice.post('/v1/snippets', { ...snippet, script: 'x'.repeat(5000) })
    for (const encoding of ['gzip', 'br']) {
      const response = await raw({
        method: 'GET',
        path: '/v1/snippets?limit=100',
        headers: { 'accept-encoding': encoding },
      })
      expect(response.headers.get('content-encoding')).toBe(encoding)
      expect(await response.json()).not.toHaveLength(0)
    }
    const plain = await raw({
      method: 'GET',
      path: '/v1/snippets?limit=100',
      headers: { 'accept-encoding': 'identity' },
    })
    expect(plain.headers.get('content-encoding')).toBeNull()
  })

  it('carries a request id, the caller’s own when it is a sane one', async () => {
    expect((await api.alice.get('/v1/snippets')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const own = await api.alice.send('GET', '/v1/snippets', undefined, { 'x-request-id': 'abc-123' })
    expect(own.headers.get('x-request-id')).toBe('abc-123')
  })

  it("400: refuses characters that can't be stored, naming the field", async () => {
    const nul = await api.alice.post('/v1/snippets', { ...snippet, name: 'a\u0000b' })
    expect(nul.status).toBe(400)
    expect(Object.keys(nul.body.attributes)).toEqual(['name'])
    const lone = await raw({ body: '{"name":"\\ud800","script":"x"}' })
    expect(lone.status).toBe(400)
  })

  it('201: ignores unknown fields, whatever they contain', async () => {
    const strange = { ...snippet, 'a\u0000b': 1, other: '\u0000', __proto__: 5 }
    expect((await api.alice.post('/v1/snippets', strange)).status).toBe(201)
  })

  it('200: reads arrays, pages and unknown parameters from the query', async () => {
    expect((await api.alice.get('/v1/snippets?limit=2&page=1&colour=blue')).status).toBe(200)
    const { status, body } = await api.alice.get('/v1/snippets?limit=abc&page=0')
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['limit', 'page'])
  })
})

describe('health and documents', () => {
  it('200: without a key', async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/swagger.json',
      '/docs/',
      '/docs/js/scalar.js',
    ]) {
      expect((await api.nobody.get(path)).status, path).toBe(200)
    }
  })

  it('marks the older document as deprecated', async () => {
    const old = await api.nobody.get('/swagger.json')
    expect(old.headers.get('deprecation')).toBeTruthy()
    expect(old.body).toEqual((await api.nobody.get('/openapi.json')).body)
  })

  it('keeps the reference page from talking to anyone else', async () => {
    const page = await api.nobody.get('/docs/')
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    expect(page.text).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/)
  })
})
