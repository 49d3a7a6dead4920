import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { pathOfHost } from './page-host.ts'

const domains = { STATUS_DOMAIN: 'status.example.com', DASHBOARDS_DOMAIN: 'boards.example.com' }

describe('the path of a host', () => {
  it.each([
    ['shop.status.example.com', '/', '/s/shop'],
    ['Shop.Status.Example.com:8443', '/?lang=de', '/s/shop?lang=de'],
    ['shop.status.example.com', '/incidents/1', '/s/shop/incidents/1'],
    ['shop.status.example.com', '/v1/checks', '/s/shop/v1/checks'],
    ['a.b.status.example.com', '/', '/s/a.b'],
    ['wall.boards.example.com', '/?page=2', '/d/wall?page=2'],
    ['status.example.com', '/v1/checks', null],
    ['evilstatus.example.com', '/', null],
    ['example.com', '/', null],
    [undefined, '/', null],
  ])('%s%s', (host, path, expected) => {
    expect(pathOfHost(domains, host, path)).toBe(expected)
  })

  it('is that of the request without domains', () => {
    expect(pathOfHost({}, 'shop.status.example.com', '/')).toBeNull()
  })
})

describe('a page with a host of its own', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(domains)
    await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'shop', cards: [] })
    await api.alice.post('/v1/dashboards', { header: 'Wall', customUrl: 'wall', enableIncidents: true })
  })
  afterAll(() => api.close())

  function get(host: string, path: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      request(`${api.url}${path}`, { headers: { host } }, (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
        .on('error', reject)
        .end()
    })
  }

  it('is at the root of the host, and so are its links', async () => {
    const { status, text } = await get('shop.status.example.com', '/')
    expect(status).toBe(200)
    expect(text).toContain('href="/feed.rss"')
    expect(text).toContain('action="/subscriptions"')
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
