import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import type { PagesDeps } from './deps.ts'
import { serveLanding } from './landing.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('the landing page', () => {
  it('200: shows version, health and a link to the API reference, without a key', async () => {
    const { status, headers, text } = await api.nobody.get('/')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toMatch(/<dd class="num">\d+\.\d+\.\d+/)
    // On a busy machine a slow probe of the database counts as failed, which doesn't matter here.
    expect(text).toMatch(/(Ready|The database can’t be reached)<\/p>/)
    expect(text).toContain('href="/docs"')
    expect(text).not.toContain('<script')
  })

  it('has links that lead somewhere', async () => {
    const { text } = await api.nobody.get('/')
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string)
    expect(links).toHaveLength(4)
    for (const link of links) expect((await fetch(api.url + link)).status, link).not.toBe(404)
  })

  it.each([
    [true, '/monitoring', 'Ready</p>'],
    [false, '/', 'The database can’t be reached</p>'],
  ])('shows whether the database is reachable: %s', async (isReady, path, words) => {
    const app = fastify()
    serveLanding(app, { isReady: () => isReady, publicUrl: `https://example.com${path}` } as PagesDeps)
    const { body } = await app.inject('/')
    expect(body).toContain(words)
    expect(body).toContain(`href="${path === '/' ? '' : path}/docs"`)
  })
})

describe('an unknown path', () => {
  const open = (accept: string | null, method = 'GET') =>
    fetch(`${api.url}/no/such/path`, { method, headers: accept === null ? {} : { accept } })

  it('404: is a page for browsers', async () => {
    const response = await open(browser)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('vary')).toContain('accept')
    expect(await response.text()).toContain('This page doesn’t exist')
    expect((await open(browser, 'HEAD')).status).toBe(404)
  })

  it.each([['*/*'], ['application/json'], ['text/html;q=0, application/json'], [null]])(
    '404: is JSON for API clients that accept %s',
    async (accept) => {
      const response = await open(accept)
      expect(response.status).toBe(404)
      expect(response.headers.get('vary')).toContain('accept')
      expect(await response.json()).toMatchObject({ statusCode: 404, error: 'Not Found' })
    },
  )

  it('404: is JSON for anything but reading', async () => {
    expect(await (await open(browser, 'POST')).json()).toMatchObject({ statusCode: 404 })
  })
})
