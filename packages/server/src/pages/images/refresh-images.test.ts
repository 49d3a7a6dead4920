import { createHash } from 'node:crypto'
import { type RequestListener, request as requestHttp } from 'node:http'
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Http, openHttp } from '../../alerting/channels/transport/http.ts'
import { createLog } from '../../core/log.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { deleteUnusedImages, requestMissingImages } from '../../storage/pages/page-images.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { closeListeners, listenHttp } from '../../testing/listeners.ts'
import { refreshImages } from './refresh-images.ts'

let api: TestApi
let http: Http
let now: number
let count = 0

const png = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')
const otherPng = Buffer.from('\x89PNG\r\n\x1a\n another', 'latin1')
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

beforeAll(async () => {
  now = Date.parse('2026-11-16T12:00:00Z')
  const environment = { STATUS_DOMAIN: 'status.example.com', DASHBOARDS_DOMAIN: 'boards.example.com' }
  api = await startTestApi(environment, { now: () => now })
  // Only this address of the loopback network.
  http = openHttp({ rules: { mode: 'public', allow: ['127.0.0.1'] }, timeoutMs: 2_000 })
})
afterEach(async () => {
  await closeListeners()
  await api.store.pool.query('delete from page_images')
})
afterAll(async () => {
  http.close()
  await api.close()
})

const refresh = (isStopping = () => false) =>
  refreshImages({ pool: api.store.pool, http, log: createLog('silent'), now: () => now, isStopping })

/** A web server whose response can be changed. Returns the address of an image there. */
async function serveImage(first: Buffer | string | RequestListener) {
  const state = { response: first, requests: 0 }
  const { url } = await listenHttp((request, response) => {
    state.requests += 1
    if (typeof state.response === 'function') state.response(request, response)
    else response.end(state.response)
  })
  return { url: `${url}/logo`, state }
}

async function createPage(values: Record<string, unknown>, caller: Caller = api.alice) {
  const { status, text, body } = await caller.post('/v1/status-pages', {
    name: 'Acme',
    url: `images-${++count}`,
    cards: [],
    ...values,
  })
  expect(status, text).toBe(201)
  return body
}

const open = (path: string, headers: Record<string, string> = {}) => {
  now += 10_000
  return api.nobody.send('GET', path, undefined, headers)
}

/** What the owner of the page is told about its images. */
async function warnings(id: string): Promise<string> {
  const { headers } = await api.alice.get(`/v1/status-pages/${id}`)
  return decodeURIComponent(headers.get('vedette-warnings') ?? '')
}

describe('the images of a page', () => {
  it('are fetched by the server and served from the origin of the page', async () => {
    const [logo, dark, icon] = [await serveImage(png), await serveImage(otherPng), await serveImage('<svg/>')]
    const page = await createPage({ logo: logo.url, logoDark: dark.url, favicon: icon.url })
    expect((await open(`/s/${page.url}`)).text).not.toContain('/images/')
    await refresh()
    const { text } = await open(`/s/${page.url}`)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    expect(text).toContain(`<img class="logo" src="/s/${page.url}/images/${hashOf(png)}.png" alt="">`)
    expect(text).toContain(`srcset="/s/${page.url}/images/${hashOf(otherPng)}.png"`)
    expect(text).toContain(
      `<link rel="icon" type="image/svg+xml" href="/s/${page.url}/images/${hashOf(svg)}.svg">`,
    )
    expect(text).not.toContain(logo.url)
    const image = await open(`/s/${page.url}/images/${hashOf(svg)}`)
    expect([image.status, image.text]).toEqual([200, svg])
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      etag: `"${hashOf(svg)}"`,
    })
    const again = await open(`/s/${page.url}/images/${hashOf(svg)}`, { 'if-none-match': `"${hashOf(svg)}"` })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await open(`/s/${page.url}?theme=dark`)).text).toContain(
      `<img class="logo" src="/s/${page.url}/images/${hashOf(otherPng)}.png" alt="">`,
    )
    expect((await open(`/s/${page.url}?theme=light`)).text).not.toContain(hashOf(otherPng))
  })

  it('are shown by dashboards', async () => {
    const { url } = await serveImage(png)
    const values = { header: 'Wall', customUrl: `wall-${++count}`, link: 'https://example.com/' }
    await api.alice.post('/v1/dashboards', { ...values, logo: url, favicon: url })
    await refresh()
    const path = `/d/${values.customUrl}`
    const { text } = await open(path)
    expect(text).toContain(
      `<a href="https://example.com/"><img class="logo" src="${path}/images/${hashOf(png)}.png" alt="">Wall</a>`,
    )
    expect(text).toContain(`<link rel="icon" type="image/png" href="${path}/images/${hashOf(png)}.png">`)
    const { status, headers } = await open(`${path}/images/${hashOf(png)}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  it('are on the host of the page', async () => {
    const { url } = await serveImage('<svg/>')
    const page = await createPage({ logo: url })
    await refresh()
    now += 10_000
    const get = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { host: `${page.url}.status.example.com` }
        requestHttp(`${api.url}${path}`, { headers }, async (response) => {
          resolve(Buffer.concat(await response.toArray()).toString())
        })
          .on('error', reject)
          .end()
      })
    const [, src] = /src="([^"]+)"/.exec(await get('/')) ?? []
    expect(src).toMatch(/^\/images\/\w{64}\.svg$/)
    expect(await get(src ?? '')).toBe('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
  })

  it('of a private page need its key', async () => {
    const { url } = await serveImage(png)
    const page = await createPage({ logo: url, isPrivate: true })
    await refresh()
    const path = `/s/${page.url}/images/${hashOf(png)}`
    expect((await open(path)).status).toBe(401)
    const password = Buffer.from(`x:${page.keys[0].rawKey}`).toString('base64')
    const opened = await open(path, { authorization: `Basic ${password}` })
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([
      200,
      'private, max-age=31536000, immutable',
    ])
  })

  it('404: those of another page and of another account, even with the same address', async () => {
    const [mine, theirs] = [await serveImage(png), await serveImage(otherPng)]
    const page = await createPage({ logo: mine.url })
    const other = await createPage({ logo: theirs.url }, api.bob)
    await refresh()
    expect((await open(`/s/${page.url}/images/${hashOf(png)}`)).status).toBe(200)
    expect((await open(`/s/${page.url}/images/${hashOf(otherPng)}`)).status).toBe(404)
    expect((await open(`/s/${other.url}/images/${hashOf(png)}`)).status).toBe(404)
    await createPage({ logo: mine.url }, api.bob)
    await refresh()
    expect(mine.state.requests).toBe(2)
    for (const path of ['/s/unknown/images/x', '/d/unknown/images/x', `/s/${page.url}/images/x`])
      expect((await open(path)).status).toBe(404)
  })

  it('are what their bytes say, not their content type', async () => {
    const kinds: [Buffer, string][] = [
      [png, 'image/png'],
      [Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg'],
      [Buffer.from('GIF89a…'), 'image/gif'],
      [Buffer.from('RIFF0000WEBPVP8 '), 'image/webp'],
      [Buffer.from('\0\0\0\x1cftypavif'), 'image/avif'],
      [Buffer.from(`\0\0\x01\0${'x'.repeat(30)}`), 'image/x-icon'],
    ]
    for (const [bytes, type] of kinds) {
      const { url } = await serveImage((_request, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(bytes)
      })
      const page = await createPage({ logo: url })
      await refresh()
      const { headers } = await open(`/s/${page.url}/images/${hashOf(bytes)}`)
      expect(headers.get('content-type')).toBe(type)
    }
  })

  const redirectTo =
    (location: string): RequestListener =>
    (_request, response) =>
      response.writeHead(302, { location }).end()

  it.each<[string, Buffer | string | RequestListener, string]>([
    [
      'a page',
      (_, response) => response.setHeader('content-type', 'image/png').end('<html></html>'),
      'not an image',
    ],
    ['a text', 'hello', "isn't a PNG"],
    ['an empty response', '', "isn't a PNG"],
    ['too large', Buffer.concat([png, Buffer.alloc(512 * 1024)]), 'larger than 512 kB'],
    ['an error', (_, response) => response.writeHead(500).end(png), 'status 500'],
    ['a redirect to a private address', redirectTo('http://127.0.0.2/'), 'a loopback address'],
    ['a redirect to a metadata address', redirectTo('http://169.254.169.254/'), 'a link-local address'],
    ['a redirect to another protocol', redirectTo('file:///etc/passwd'), 'status 302'],
    ['redirects without end', redirectTo('/again'), 'more than 3 times'],
    ['a redirect to nowhere', (_, response) => response.writeHead(301).end(), 'status 301'],
    [
      'a connection that breaks',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write(png, () => response.destroy())
      },
      'broke before its end',
    ],
    ['no response', (_, response) => response.destroy(), "can't be reached (ECONNRESET)"],
  ])('are refused, and their owner is told: %s', async (_name, response, reason) => {
    const page = await createPage({ logo: (await serveImage(response)).url })
    expect(await warnings(page.id)).toBe('')
    await refresh()
    expect(await warnings(page.id)).toMatch(new RegExp(`^logo: .*${RegExp.escape(reason)}.*doesn't show it`))
    expect((await open(`/s/${page.url}`)).text).not.toContain('/images/')
  })

  it('can be behind redirects', async () => {
    const { url } = await serveImage((request, response) => {
      if (request.url === '/3') response.end(png)
      else response.writeHead(307, { location: `/${Number(request.url?.slice(1)) + 1 || 1}` }).end()
    })
    const page = await createPage({ logo: url })
    await refresh()
    expect((await open(`/s/${page.url}`)).text).toContain(hashOf(png))
  })

  it('are fetched again after a day; the last one stays while that fails', async () => {
    const { url, state } = await serveImage(png)
    const page = await createPage({ logo: url })
    await refresh()
    now += dayMs - hourMs
    await refresh()
    expect(state.requests).toBe(1)
    now += hourMs
    state.response = (_request, response) => response.writeHead(503).end()
    await refresh()
    expect((await open(`/s/${page.url}/images/${hashOf(png)}`)).status).toBe(200)
    expect(await warnings(page.id)).toContain('status 503 instead of an image. The page keeps the last image')
    state.response = otherPng
    now += minuteMs
    await refresh()
    expect(await warnings(page.id)).toBe('')
    expect((await open(`/s/${page.url}`)).text).toContain(hashOf(otherPng))
    expect(state.requests).toBe(3)
  })

  it('are fetched at once when their address changes, or when the owner saves one that failed', async () => {
    const { url, state } = await serveImage('hello')
    const page = await createPage({ logo: url })
    await refresh()
    state.response = png
    await refresh()
    expect(state.requests).toBe(1)
    const saved = await api.alice.put(`/v1/status-pages/${page.id}`, {
      name: 'Acme',
      url: page.url,
      cards: [],
      logo: url,
      favicon: `${url}?2`,
    })
    expect(saved.headers.get('vedette-warnings')).toContain('logo')
    await refresh()
    expect(state.requests).toBe(3)
    expect(await warnings(page.id)).toBe('')
  })

  it('are claimed by one of several servers, and again when that one was killed', async () => {
    const { url, state } = await serveImage(png)
    await createPage({ logo: url })
    await Promise.all([refresh(), refresh(), refresh()])
    expect(state.requests).toBe(1)
    now += dayMs
    let isStopping = false
    state.response = (_request, response) => {
      isStopping = true
      response.destroy()
    }
    await refresh(() => isStopping)
    state.response = png
    await refresh()
    expect(state.requests).toBe(2)
    now += minuteMs
    await refresh()
    expect(state.requests).toBe(3)
  })

  it('are deleted when no page refers to them', async () => {
    const sweep = () => inTransaction(api.store.pool, (client) => deleteUnusedImages(client, now - hourMs))
    const { url } = await serveImage(png)
    const page = await createPage({ logo: url })
    now += 2 * hourMs
    expect(await sweep()).toBe(0)
    await api.alice.delete(`/v1/status-pages/${page.id}`)
    expect(await sweep()).toBe(1)
  })

  it('of pages that an earlier release saved are requested', async () => {
    const { url } = await serveImage(png)
    const page = await createPage({ favicon: url })
    await api.store.pool.query('delete from page_images')
    await inTransaction(api.store.pool, (client) => requestMissingImages(client, now))
    await refresh()
    expect((await open(`/s/${page.url}`)).text).toContain(hashOf(png))
  })
})
