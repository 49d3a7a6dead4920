// What other sites can do to someone who is signed in: nothing, on any route.
import { type AnyRoute, routes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createFixtures, type Fixtures } from '../testing/fixtures.ts'
import { giveTestPassword, openBrowser, testPassword } from '../testing/sign-in.ts'

let api: TestApi
let fixtures: Fixtures
let email: string
let cookie: string
beforeAll(async () => {
  api = await startTestApi()
  fixtures = await createFixtures(api, api.alice)
  email = await giveTestPassword(api, api.alice.userId)
  const browser = openBrowser(api)
  await browser.signIn(email)
  cookie = browser.cookie
})
afterAll(() => api.close())

type Named = [string, AnyRoute]
const named = (chosen: AnyRoute[]): Named[] => chosen.map((route) => [`${route.method} ${route.path}`, route])
const evil = 'https://evil.example'
const app = { 'x-vedette-app': '1' }
const withCookie = routes.filter(({ access }) => access !== 'public' && access !== 'agent')

describe('403 on every route that changes something', () => {
  const attempts: Record<string, Record<string, string>> = {
    'without the header of the app': { origin: 'http://vedette.test' },
    'without any origin': app,
    'from another origin': { ...app, origin: evil },
    'from a page without an origin': { ...app, origin: 'null' },
    'from another site': { ...app, 'sec-fetch-site': 'cross-site' },
    'from another host of the site': { ...app, 'sec-fetch-site': 'same-site' },
    'from a form': { 'content-type': 'application/x-www-form-urlencoded', origin: evil },
    'from a form with plain text': { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' },
  }
  it.each(named(withCookie.filter(({ method }) => method !== 'GET')))('%s', async (_name, route) => {
    for (const [how, headers] of Object.entries(attempts)) {
      const path = fixtures.pathOf(route)
      const { status } = await api.nobody.send(route.method, path, route.example, { ...headers, cookie })
      expect(status, how).toBe(403)
    }
  })

  it('and all is as it was', async () => {
    const reads = routes.filter(
      ({ method, params, access }) => method === 'GET' && params !== undefined && access !== 'public',
    )
    for (const route of reads)
      expect((await api.alice.get(fixtures.pathOf(route))).status, route.path).toBe(200)
  })
})

describe('another site that reads with the cookie of a visitor', () => {
  const streams = new Set(['/v1/events'])
  const reads = withCookie.filter(({ method, path }) => method === 'GET' && !streams.has(path))
  it.each(named(reads))('gets nothing from %s', async (_name, route) => {
    const headers = {
      cookie,
      origin: evil,
      'sec-fetch-site': 'cross-site',
      'x-service-account': api.alice.accountId,
    }
    const response = await api.nobody.send('GET', fixtures.pathOf(route), undefined, headers)
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-type') ?? '').not.toMatch(/html|svg|xml/)
  })
})

describe('signing in', () => {
  const starts = routes.filter(({ startsSignIn }) => startsSignIn === true)
  it.each(named(starts))('403: another site cannot do it for a visitor: %s', async (_name, route) => {
    const sites: Record<string, string>[] = [
      { origin: evil },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]
    for (const headers of sites) {
      const response = await api.nobody.send(route.method, fixtures.pathOf(route), route.example, headers)
      expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
    }
  })

  it('makes a cookie of its own, whatever the browser brought', async () => {
    const browser = openBrowser(api)
    browser.cookie = 'vedette-sign-in=planted'
    await browser.signIn(email)
    expect(browser.cookie).toMatch(/^vedette-sign-in=[\w-]{43}$/)
    const planted = await api.nobody.send('GET', '/v1/sign-in', undefined, {
      cookie: 'vedette-sign-in=planted',
    })
    expect(planted.status).toBe(401)
  })

  it('does not show which emails are known', async () => {
    const facts = async (path: string, body: object) => {
      const { status, text, headers } = await api.nobody.post(path, body)
      return [status, text, [...headers.keys()].sort()]
    }
    const guess = (of: string) => facts('/v1/sign-in', { email: of, password: `not ${testPassword}` })
    expect(await guess(email)).toEqual(await guess('nobody@example.com'))
    const reset = (of: string) => facts('/v1/password-resets', { email: of })
    expect(await reset(email)).toEqual(await reset('nobody@example.com'))
  })
})

describe('redirects', () => {
  it.each([
    ...[
      '//evil.example',
      '//evil.example/..',
      '/%2f%2fevil.example',
      '/%5cevil.example',
      '/checks//evil.example',
    ],
    ...[
      '/trace-viewer?//evil.example',
      '/trace-viewer//evil.example',
      '/login?next=//evil.example',
      '/r//evil.example',
    ],
  ])('%s leads to no other host', async (path) => {
    const response = await fetch(api.url + path, {
      headers: { cookie, accept: 'text/html' },
      redirect: 'manual',
    })
    const location = response.headers.get('location')
    if (location !== null) expect(new URL(location, api.url).origin).toBe(api.url)
  })
})

describe('pages', () => {
  it.each([
    '/',
    '/login',
    '/checks',
    '/nothing',
    '/r/x',
    '/s/none',
    '/d/none',
    '/s/_/verify',
    '/docs',
    '/v1/checks',
  ])('%s is never shown in a frame of another site', async (path) => {
    const response = await fetch(api.url + path, { headers: { accept: 'text/html' } })
    const isPage = (response.headers.get('content-type') ?? '').includes('html')
    if (isPage) expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})
