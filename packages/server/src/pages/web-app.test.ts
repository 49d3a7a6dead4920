import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { openWebApp } from './web-app.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const page = '<html><head></head><script type="module" src="./main-abc.js"></script></html>'

describe('a path without a route', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi()
  })
  afterAll(() => api.close())

  const open = (path: string, accept: string | null = browser, method = 'GET') =>
    fetch(`${api.url}${path}`, { method, headers: accept === null ? {} : { accept } })

  it.each(['/', '/checks', '/checks/1/results/2', '/no/such/path', '/accounts/1/checks/2'])(
    '200: %s is the app for browsers, as a page that runs nothing inline and cannot be framed',
    async (path) => {
      const response = await open(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('vary')).toContain('accept')
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
    },
  )

  /** The table of docs/architecture.md: the rest of prefixes with "only" belongs to the app. */
  const architecture = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8')
  const rows = [...architecture.matchAll(/^\| `(\/[^`]*)`\s*\| (.*?)\s*\|$/gm)]
  const owned = rows.flatMap(([, prefix = '', text = '']) =>
    /^only|redirects/.test(text) || !text ? [] : [prefix],
  )

  it('404: below the prefixes of others it is a page, not the app', async () => {
    expect(owned.length).toBeGreaterThan(10)
    for (const prefix of owned) {
      const response = await open(`${prefix}/no/such/thing`)
      expect(response.status, prefix).toBeGreaterThanOrEqual(400)
      expect(await response.text(), prefix).not.toContain('vedette-build')
    }
  })

  it.each([['*/*'], ['application/json'], ['text/html;q=0, application/json'], [null]])(
    '404: is JSON for API clients that accept %s',
    async (accept) => {
      const response = await open('/no/such/path', accept)
      expect(response.status).toBe(404)
      expect(response.headers.get('vary')).toContain('accept')
      expect(await response.json()).toMatchObject({ statusCode: 404, error: 'Not Found' })
    },
  )

  it("files of the app don't count against the limit of an address", async () => {
    const limited = await startTestApi({ RATE_LIMIT_PUBLIC_PER_MINUTE: '2' })
    const statuses: number[] = []
    for (const path of [...Array(5).fill('/app/build.json'), ...Array(3).fill('/login')])
      statuses.push((await fetch(limited.url + path, { headers: { accept: browser } })).status)
    await limited.close()
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429])
  })

  it('404: is JSON for anything but reading', async () => {
    expect(await (await open('/checks', browser, 'POST')).json()).toMatchObject({ statusCode: 404 })
  })

  it('404: a host of a page never shows the app', async () => {
    const values = { name: 'Acme', url: 'acme', cards: [], customDomain: 'status.acme.example' }
    const { status, text: problem } = await api.alice.post('/v1/status-pages', values)
    expect(status, problem).toBeLessThan(300)
    await api.pageHosts.refresh()
    for (const path of ['/checks', '/login', '/app/build.json']) {
      const { statusCode, body: text } = await requestOf(api, path, 'status.acme.example')
      expect(statusCode, path).toBe(404)
      expect(text).not.toContain('vedette-build')
    }
  })
})

/** fetch doesn't send another Host. */
async function requestOf(api: TestApi, path: string, host: string) {
  const { request } = await import('node:http')
  return new Promise<{ statusCode: number | undefined; body: string }>((resolve, reject) => {
    const sent = request(`${api.url}${path}`, { headers: { host, accept: browser } }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ statusCode: response.statusCode, body }))
    })
    sent.on('error', reject).end()
  })
}

describe('the files of the app', () => {
  let folder: string
  let app: FastifyInstance

  function build(id: string, files: Record<string, string>): void {
    mkdirSync(join(folder, id), { recursive: true })
    for (const [name, text] of Object.entries({ 'index.html': page, ...files })) {
      writeFileSync(join(folder, id, name), text)
      writeFileSync(join(folder, id, `${name}.br`), brotliCompressSync(text))
    }
    writeFileSync(join(folder, 'current.json'), JSON.stringify({ id }))
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-web-'))
    app = fastify()
    const webApp = openWebApp({ publicUrl: 'https://example.com/monitoring', folder })
    webApp.serve(app)
    app.setNotFoundHandler((_request, reply) => webApp.sendUnknownPath(reply))
    return () => rmSync(folder, { recursive: true })
  })

  it('200: until it is built, a page says so and reloads itself', async () => {
    const { body, statusCode } = await app.inject('/checks')
    expect(statusCode).toBe(200)
    expect(body).toContain('is being built')
    expect(body).toContain('http-equiv="refresh"')
    expect((await app.inject('/app/build.json')).json()).toEqual({ id: null })
  })

  it('200: a failed build is shown with its reason, escaped', async () => {
    writeFileSync(
      join(folder, 'current.json'),
      JSON.stringify({ failure: '<b>Syntax</b> error in home.tsx' }),
    )
    const { body } = await app.inject('/')
    expect(body).toContain('couldn’t be built')
    expect(body).toContain('&lt;b&gt;Syntax')
  })

  it('200: the page names its build and the path of the server', async () => {
    build('0123456789abcdef', {})
    const { body, headers } = await app.inject('/checks/1')
    expect(headers['cache-control']).toBe('no-cache')
    expect(body).toContain('<meta name="vedette-build" content="0123456789abcdef">')
    expect(body).toContain('src="/monitoring/app/main-abc.js"')
  })

  it('200: files are compressed already, and kept for good', async () => {
    build('0123456789abcdef', { 'main-abc.js': 'export {}' })
    const { headers, rawPayload } = await app.inject({
      url: '/app/main-abc.js',
      headers: { 'accept-encoding': 'gzip, br' },
    })
    expect(headers).toMatchObject({
      ...{
        'content-encoding': 'br',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'accept-encoding',
      },
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(String(brotliDecompressSync(rawPayload))).toBe('export {}')
    const plain = await app.inject('/app/main-abc.js')
    expect(plain.body).toBe('export {}')
    expect(plain.headers['content-encoding']).toBeUndefined()
  })

  it.each(['/app/none.js', '/app/..%2Fcurrent.json', '/app/index.html', '/app/main-abc.js.br'])(
    '404: %s',
    async (path) => {
      build('0123456789abcdef', { 'main-abc.js': 'export {}' })
      expect((await app.inject(path)).statusCode).toBe(404)
    },
  )
})
