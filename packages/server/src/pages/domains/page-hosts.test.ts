import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

const settings = {
  STATUS_DOMAIN: 'status.example.com',
  DASHBOARDS_DOMAIN: 'boards.example.com',
  PUBLIC_URL: 'http://own.status.example.com',
}

let api: TestApi
beforeAll(async () => {
  api = await startTestApi(settings)
  await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'shop', cards: [] })
  await api.alice.post('/v1/dashboards', { header: 'Wall', customUrl: 'wall', enableIncidents: true })
})
afterAll(() => api.close())

interface Answer {
  status: number
  text: string
  headers: Record<string, unknown>
}

function get(
  host: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(api.url)
    request({ port, host: '127.0.0.1', path, method, headers: { ...headers, host } }, (response) => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}

/** As if its record had been found. */
async function prove(domain: string): Promise<void> {
  const proven = { proven_at: new Date() }
  await api.store.db.updateTable('page_domains').set(proven).where('domain', '=', domain).execute()
  await api.pageHosts.refresh()
}

async function newPage(fields: object, caller: Caller = api.alice) {
  const { body } = await caller.post('/v1/status-pages', { name: 'Acme', cards: [], ...fields })
  return body
}

describe('the path of a host', () => {
  it.each([
    ['shop.status.example.com', '/', '/s/shop'],
    ['Shop.Status.Example.com:8443', '/?lang=de', '/s/shop?lang=de'],
    ['shop.status.example.com.', '/', '/s/shop'],
    ['shop.status.example.com', '/incidents/1', '/s/shop/incidents/1'],
    ['shop.status.example.com', '/v1/checks', '/s/shop/v1/checks'],
    ['a.b.status.example.com', '/', '/s/a.b'],
    ['wall.boards.example.com', '/?page=2', '/d/wall?page=2'],
    ['status.example.com', '/v1/checks', null],
    ['own.status.example.com', '/v1/checks', null],
    ['evilstatus.example.com', '/', null],
    ['example.com', '/', null],
    ['127.0.0.1:3000', '/v1/checks', null],
    ['[::1]:3000', '/v1/checks', null],
    [undefined, '/', null],
  ])('%s%s', (host, path, expected) => {
    expect(api.pageHosts.pathOf(host, path)).toBe(expected)
  })
})

describe('a page with a host of its own', () => {
  it('is at the root of the host, and so are its links', async () => {
    const { status, text } = await get('shop.status.example.com', '/')
    expect(status).toBe(200)
    expect(text).toContain('href="/feed.rss"')
    expect(text).toContain('action="/subscriptions?lang=en"')
    expect(text).not.toContain('/s/shop')
    const feed = await get('shop.status.example.com', '/feed.rss')
    expect(feed.text).toContain('<link>http://shop.status.example.com</link>')
    expect((await get('shop.status.example.com', '/history')).status).toBe(200)
    const board = await get('wall.boards.example.com', '/')
    expect(board.text).toContain('<h1>Wall</h1>')
    expect(board.text).toContain('href="/incidents"')
  })

  it('shows the same page at its address on this server, with other links', async () => {
    expect((await get('localhost', '/s/shop')).text).toContain('href="/s/shop/feed.rss"')
  })

  it('404: nothing else is there', async () => {
    for (const path of ['/v1/accounts/me', '/docs', '/healthz', '/s/shop', '/d/wall'])
      expect((await get('shop.status.example.com', path)).status, path).toBe(404)
    expect((await get('unknown.status.example.com', '/')).status).toBe(404)
  })
})

describe('a page on its custom domain', () => {
  beforeAll(async () => {
    await newPage({ url: 'own', customDomain: 'status.acme.com' })
    await api.alice.post('/v1/dashboards', { header: 'Own board', customDomain: 'board.acme.com' })
    await prove('status.acme.com')
    await prove('board.acme.com')
  })

  it('is at the root, with its links, feeds and headers', async () => {
    const page = await get('Status.Acme.com:8443', '/')
    expect(page.status).toBe(200)
    expect(page.text).toContain('href="/feed.rss"')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    const feed = await get('status.acme.com', '/feed.rss')
    expect(feed.text).toContain('<link>http://status.acme.com</link>')
    const again = await get('status.acme.com', '/', { 'if-none-match': String(page.headers.etag) })
    expect(again.status).toBe(304)
    expect((await get('board.acme.com', '/?range=7d')).text).toContain('<h1>Own board</h1>')
  })

  it('404: the API, the app, the documentation and other pages are not there', async () => {
    const headers = { authorization: `Bearer ${api.alice.key}` }
    const paths = ['/v1/accounts/me', '/docs', '/openapi.json', '/healthz', '/metrics', '/s/shop', '/d/wall']
    for (const path of [
      ...paths,
      '/tls/ask?domain=status.acme.com',
      '/%2e%2e/v1/accounts/me',
      '//v1/accounts/me',
    ])
      expect((await get('status.acme.com', path, headers)).status, path).toBe(404)
    expect((await get('status.acme.com', '/', headers, 'POST')).status).toBe(404)
  })

  it('ignores the host of an absolute request target', async () => {
    const answer = await get('status.acme.com', `${api.url}/v1/accounts/me`, {
      authorization: `Bearer ${api.alice.key}`,
    })
    expect(answer.text).toContain('<title>')
    expect(answer.text).not.toContain(api.alice.accountId)
  })

  it('stays private', async () => {
    const { keys } = await newPage({
      url: 'secret',
      name: 'Secret',
      customDomain: 'secret.acme.com',
      isPrivate: true,
    })
    await prove('secret.acme.com')
    for (const path of ['/', '/feed.rss', '/history', '/incidents/1'])
      expect((await get('secret.acme.com', path)).status, path).toBe(401)
    const basic = `Basic ${Buffer.from(`feed:${keys[0].rawKey}`).toString('base64')}`
    expect((await get('secret.acme.com', '/feed.rss', { authorization: basic })).status).toBe(200)
    // Not through the domain of another page either.
    expect((await get('status.acme.com', '/s/secret')).status).toBe(404)
    expect((await get('status.acme.com', '/../secret')).status).toBe(404)
  })

  it('is never the page of another account that took over its name', async () => {
    const page = await newPage({ url: 'renamed', customDomain: 'renamed.acme.com' })
    await prove('renamed.acme.com')
    // Another server made these changes, and this one doesn't know them yet.
    await api.store.db.updateTable('status_pages').set({ url: 'moved' }).where('id', '=', page.id).execute()
    const { id } = await newPage({ url: 'shop-of-bob', name: 'Of Bob' }, api.bob)
    await api.store.db.updateTable('status_pages').set({ url: 'renamed' }).where('id', '=', id).execute()
    const { text } = await get('renamed.acme.com', '/')
    expect(text).toContain('Acme')
    expect(text).not.toContain('Of Bob')
  })

  it('leaves the domain at once when it is deleted', async () => {
    const page = await newPage({ url: 'short', customDomain: 'short.acme.com' })
    await prove('short.acme.com')
    expect((await get('short.acme.com', '/')).text).toContain('Acme')
    await api.alice.delete(`/v1/status-pages/${page.id}`)
    expect((await get('short.acme.com', '/')).text).not.toContain('Acme')
  })

  it('stays on its domain while the store is down', async () => {
    const outage = vi
      .spyOn(api.store.pool, 'connect')
      .mockRejectedValue(new Error('Connection terminated') as never)
    try {
      await expect(api.pageHosts.refresh()).rejects.toThrow('Connection terminated')
      expect(api.pageHosts.pathOf('board.acme.com', '/')).toMatch(/^\/d\/[0-9a-f]{8}$/)
    } finally {
      outage.mockRestore()
    }
  })
})

describe('a custom domain that is not proven', () => {
  it('404: shows neither the page nor anything else', async () => {
    await newPage({ url: 'waiting', name: 'Waiting', customDomain: 'waiting.acme.com' })
    const headers = { authorization: `Bearer ${api.alice.key}` }
    for (const path of ['/', '/feed.rss', '/v1/accounts/me', '/docs', '/healthz', '/s/waiting']) {
      const { status, text } = await get('waiting.acme.com', path, headers)
      expect(status, path).toBe(404)
      expect(text).toContain('There is no page here yet')
      expect(text).not.toContain('Waiting')
    }
    expect((await get('waiting.acme.com', '/v1/status-pages', headers, 'POST')).status).toBe(404)
  })
})

describe('a host that belongs to no page', () => {
  it('shows the server, as an installation may have several names', async () => {
    expect((await get('monitor.internal', '/healthz')).status).toBe(200)
  })

  it('never hides the server: pages can not have its host', async () => {
    const page = await newPage({ url: 'thief', customDomain: 'thief.acme.com' })
    // Accepted by an earlier release.
    const stolen = { domain: 'own.status.example.com', proven_at: new Date() }
    await api.store.db.updateTable('page_domains').set(stolen).where('status_page_id', '=', page.id).execute()
    await api.pageHosts.refresh()
    expect((await get('own.status.example.com', '/healthz')).status).toBe(200)
  })
})

describe('GET /tls/ask', () => {
  const ask = async (domain: string) => (await api.nobody.get(`/tls/ask?domain=${domain}`)).status

  it('200: a page is served there', async () => {
    for (const host of [
      'status.acme.com',
      'STATUS.acme.com.',
      'shop.status.example.com',
      'wall.boards.example.com',
    ])
      expect(await ask(host), host).toBe(200)
  })

  it('404: anything else', async () => {
    const hosts = [
      'waiting.acme.com',
      'unknown.status.example.com',
      'a.shop.status.example.com',
      'status.example.com',
    ]
    for (const host of [...hosts, 'own.status.example.com', 'example.com', '127.0.0.1', 'x'.repeat(300)])
      expect(await ask(host), host).toBe(404)
  })

  it('400: without a domain', async () => {
    expect((await api.nobody.get('/tls/ask')).status).toBe(400)
  })
})
