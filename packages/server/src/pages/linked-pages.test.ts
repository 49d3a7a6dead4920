import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LinkTo, linkSigner, linkValidMs } from '../links/signed-link.ts'
import { insertSignIn } from '../storage/accounts/sign-ins.ts'
import { revokeLinks } from '../storage/core/signed-links.ts'
import { completeAnalyses } from '../testing/analyses.ts'
import { type Caller, startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { createCheckSession, createTestSession } from '../testing/sessions.ts'

const hostile = `<script>alert("x")</script>'&`
let api: TestApi
let now = Date.now()
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const linkOf = (owner: Caller, epoch = 0): LinkTo =>
  linkSigner({ publicUrl: '', sign: api.vault.sign, now }, owner.accountId, epoch)
const open = (path: string) => api.nobody.get(path)
const pathOf = (url: string) => url.replace('http://vedette.test', '')

async function newCheck(owner: Caller, name = 'Checkout'): Promise<string> {
  const { status, body, text } = await owner.post('/v1/checks/api', { ...checkTypes.API.example, name })
  expect(status, text).toBe(201)
  return body.id
}

async function newResult(owner: Caller, over: Partial<SomeResult> = {}, name?: string) {
  const checkId = await newCheck(owner, name)
  const [id = ''] = await insertResults(api.store, [
    { accountId: owner.accountId, checkId, scheduledAt: now - 60_000, ...over },
  ])
  return { checkId, id, path: linkOf(owner)('result', checkId, id) }
}

const failure = { kind: 'assertion', message: 'expected 503 to equal 200', phase: 'judge' } as const
const statusAssertion = { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', order: 0 }

describe('the page of a result', () => {
  it("200: shows verdict, reason, location, time, assertions and timings, and isn't cached or indexed", async () => {
    const { path } = await newResult(await api.newAccount(), {
      ...{ hasFailures: true, failure, statusCode: 503 },
      detail: {
        failure,
        assertions: [
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', property: '', target: '900', order: 1 },
          { ...statusAssertion, error: 'expected 503 to equal 200', actual: 503 },
        ],
        observed: { breakdown: { dns: 2, connect: 10, tls: null, send: 0, wait: 90, receive: 8.25 } },
      },
    })
    const { status, text, headers } = await open(path)
    expect(status).toBe(200)
    for (const words of [
      ...['<h1>Checkout</h1>', 'Failed', 'Expected 503 to equal 200.', 'Ireland', '120 ms', 'UTC</time>'],
      ...['Expected: The status code equals 200', 'Actual: 503', 'DNS lookup', '90 ms', '8.3 ms'],
      'Expected: The response time in milliseconds is less than 900',
    ]) {
      expect(text).toContain(words)
    }
    expect(text.indexOf('The status code')).toBeLessThan(text.indexOf('The response time in'))
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': expect.stringContaining('noindex'),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=/)
  })

  it('shows no body, header, log or file, also not as the actual value of an assertion', async () => {
    const secretive = {
      failure,
      assertions: [
        {
          ...statusAssertion,
          source: 'TEXT_BODY',
          comparison: 'CONTAINS',
          target: 'ok',
          error: 'BODY',
          actual: 'BODY',
        },
        { ...statusAssertion, source: 'HEADERS', property: 'x-a', error: 'HEADER', actual: 'HEADER' },
        { ...statusAssertion, source: 'JSON_BODY', error: 'x', actual: '{"whole":"DOCUMENT"}' },
      ],
      observed: {
        request: { method: 'GET', url: 'http://target.test/?q=QUERY', headers: { a: 'HEADER' } },
        response: { status: 503, statusText: 'x', body: 'BODY', headers: { 'x-a': 'HEADER' } },
      },
      jobLog: { setup: [], request: [{ time: 1, msg: 'LOG', level: 'INFO' }], teardown: [] },
    }
    const { path } = await newResult(await api.newAccount(), {
      ...{ hasFailures: true, failure, detail: secretive as never },
    })
    const { status, text } = await open(path)
    expect(status).toBe(200)
    expect(text).toContain('not shown, because this page shows no bodies')
    expect(text).not.toMatch(/BODY|HEADER|DOCUMENT|LOG|QUERY/)
  })

  it('escapes what people and targets wrote', async () => {
    const detail = {
      failure: { ...failure, message: hostile },
      assertions: [{ ...statusAssertion, target: hostile, error: hostile, actual: hostile }],
    }
    const { path } = await newResult(await api.newAccount(), { hasFailures: true, failure, detail }, hostile)
    const { text } = await open(path)
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toContain('<script')
  })

  it('still shows verdict and reason when the evidence is deleted or unreadable', async () => {
    const owner = await api.newAccount()
    for (const detail of [null, '[', '{"assertions": 5, "observed": {"response": []}}']) {
      const { path } = await newResult(owner, { hasFailures: true, failure, detail })
      const { status, text } = await open(path)
      expect([status, text.includes('Expected 503 to equal 200.')]).toEqual([200, true])
    }
  })
})

describe('links of sessions and analyses', () => {
  it('200: a check session lists its runs, each with a verdict, and so does each of its results', async () => {
    const id = await createCheckSession(api, api.alice, await newCheck(api.alice, 'Search'))
    const { body } = await api.alice.get(`/v2/check-sessions/${id}`)
    const page = await open(pathOf(body.checkSessionLink))
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Search</h1>')
    expect(page.text.match(/Passed<\/span>/g)).toHaveLength(body.results.length)
    for (const result of body.results) {
      expect((await open(pathOf(result.checkResultLink))).text).toContain('<h1>Search</h1>')
    }
  })

  it('200: a test session, its results, and the analysis of why it failed', async () => {
    const owner = await api.newAccount()
    const test = await createTestSession(api, owner, await newCheck(owner, 'Basket'))
    const { body } = await owner.get(`/v1/test-sessions/${test.testSessionId}`)
    const session = await open(pathOf(body.testSessionLink))
    expect(session.status).toBe(200)
    expect(session.text).toContain('Before the release')
    expect(session.text).toContain('Basket, Ireland')
    const result = await open(pathOf(body.results[0].testSessionResultLink))
    expect(result.text).toContain('Connection refused.')
    const asked = await owner.post(`/v1/root-cause-analyses/test-session-error-groups/${test.errorGroupId}`)
    const analysisPath = linkOf(owner)('analysis', asked.body.id)
    expect((await open(analysisPath)).text).toContain('is in progress')
    await completeAnalyses(api, now)
    const { analysis } = (await owner.get(`/v1/root-cause-analyses/${asked.body.id}`)).body
    const page = await open(analysisPath)
    expect(page.status).toBe(200)
    for (const words of ['<h1>Why Basket failed</h1>', 'Network error', 'Cause', 'Impact', 'Evidence']) {
      expect(page.text).toContain(words)
    }
    for (const { url } of analysis.referenceLinks) expect((await open(pathOf(url))).status, url).toBe(200)
  })

  it('200: a check, for alerts without a result', async () => {
    const owner = await api.newAccount()
    const { checkId } = await newResult(owner, { hasFailures: true, failure })
    const { status, text } = await open(linkOf(owner)('check', checkId))
    expect(status).toBe(200)
    expect(text).toContain('Latest runs')
    expect(text).toContain('Expected 503 to equal 200.')
    const idle = await open(linkOf(owner)('check', await newCheck(owner)))
    expect(idle.text).toContain('no results yet')
  })
})

describe('a link and the app', () => {
  const screenOf = (owner: Caller, path: string) => `/accounts/${owner.accountId}${path}`
  async function openAs(owner: Caller, path: string) {
    const userId = owner.userId ?? ''
    const { secret } = await insertSignIn(api.store.db, { userId, address: '', userAgent: null, now })
    return fetch(api.url + path, { headers: { cookie: `vedette-sign-in=${secret}` }, redirect: 'manual' })
  }

  it('302: a member who is signed in gets the screen of a result and of a check', async () => {
    const owner = await api.newAccount()
    const { path, checkId, id } = await newResult(owner, { hasFailures: true, failure })
    const response = await openAs(owner, path)
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      screenOf(owner, `/checks/${checkId}/results/${id}`),
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const ofCheck = await openAs(owner, linkOf(owner)('check', checkId))
    expect(ofCheck.headers.get('location')).toBe(screenOf(owner, `/checks/${checkId}`))
    const ofTest = await openAs(owner, linkOf(owner)('testResult', checkId, id))
    expect(ofTest.headers.get('location')).toBe(screenOf(owner, `/test-sessions/${checkId}/results/${id}`))
  })

  it('302: for members also after it has expired, was revoked or turned off', async () => {
    const owner = await api.newAccount()
    const { path } = await newResult(owner)
    await owner.patch('/v1/accounts/me', { settings: { resultLinks: false } })
    await revokeLinks(api.store.db, owner.accountId)
    const before = now
    now = before + linkValidMs
    expect((await openAs(owner, path)).status).toBe(302)
    now = before
  })

  it('200: people without a session, and of other accounts, get the page with an offer to sign in', async () => {
    const owner = await api.newAccount()
    const { path, checkId, id } = await newResult(owner)
    const offer = `<a href="${screenOf(owner, `/checks/${checkId}/results/${id}`)}">Sign in for details</a>`
    const foreign = await openAs(await api.newAccount(), path)
    expect(foreign.status).toBe(200)
    expect(await foreign.text()).toContain(offer)
    const forged = await fetch(api.url + path, {
      headers: { cookie: 'vedette-sign-in=forged' },
      redirect: 'manual',
    })
    expect([forged.status, (await forged.text()).includes(offer)]).toEqual([200, true])
    expect((await open(path)).text).toContain(offer)
    expect((await open(linkOf(owner)('testAlert'))).text).not.toContain('Sign in')
  })

  it('410 and 403: say where to sign in; a link that was never signed says nothing', async () => {
    const owner = await api.newAccount()
    const { path } = await newResult(owner)
    const before = now
    now = before + linkValidMs
    expect((await open(path)).text).toContain('Sign in for details')
    now = before
    await owner.patch('/v1/accounts/me', { settings: { resultLinks: false } })
    expect((await open(path)).text).toContain('Sign in for details')
    expect((await open(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).text).not.toContain(
      'Sign in',
    )
  })
})

describe('a link that must not open', () => {
  it('404: one and the same page for tampered, foreign, unknown and revoked', async () => {
    const owner = await api.newAccount()
    const other = await api.newAccount()
    const { path, checkId, id } = await newResult(owner)
    const foreign = linkOf(other)('result', checkId, id)
    const unknown = linkOf(owner)('result', checkId, checkId)
    const flipped = (at: number) => path.slice(0, at) + (path[at] === 'A' ? 'B' : 'A') + path.slice(at + 1)
    const wrong = [
      ...[flipped(5), flipped(30), flipped(path.length - 10), path.slice(0, -1), `${path}A`],
      ...[foreign, unknown, '/r/x', '/r/%00', `/r/${encodeURIComponent(hostile)}`],
    ]
    const { status, text } = await open(wrong[0] as string)
    expect(status).toBe(404)
    expect(text).toContain('This link doesn’t open anything')
    for (const one of wrong) {
      const response = await open(one)
      expect([response.status, response.text], one).toEqual([404, text])
    }
    expect((await open(path)).status).toBe(200)
    expect(await revokeLinks(api.store.db, other.accountId)).toBe(1)
    expect((await open(path)).status).toBe(200)
    await revokeLinks(api.store.db, owner.accountId)
    expect([(await open(path)).status, (await open(path)).text]).toEqual([404, text])
    expect((await open(linkOf(owner, 1)('result', checkId, id))).status).toBe(200)
  })

  it('410: after 30 days', async () => {
    const { path } = await newResult(await api.newAccount())
    const before = now
    now = before + linkValidMs - 3_600_000
    expect((await open(path)).status).toBe(200)
    now = before + linkValidMs
    const { status, text } = await open(path)
    expect(status).toBe(410)
    expect(text).toContain('This link has expired')
    now = before
  })

  it('403: while the account has turned links off', async () => {
    const owner = await api.newAccount()
    const { path } = await newResult(owner)
    expect((await owner.get('/v1/accounts/me')).body.settings.resultLinks).toBe(true)
    await owner.patch('/v1/accounts/me', { settings: { resultLinks: false } })
    const { status, text } = await open(path)
    expect(status).toBe(403)
    expect(text).toContain('Links are turned off')
    expect(text).not.toContain('Checkout')
    await owner.patch('/v1/accounts/me', { settings: { resultLinks: true } })
    expect((await open(path)).status).toBe(200)
  })

  it('429: names the limit per address, and when to retry', async () => {
    const limited = await startTestApi({ RATE_LIMIT_FACTOR: '0.05' }, { now: () => now })
    try {
      const statuses: number[] = []
      for (let turn = 0; turn < 4; turn++) statuses.push((await limited.nobody.get('/r/x')).status)
      expect(statuses).toEqual([404, 404, 404, 429])
      const { text, headers } = await limited.nobody.get('/r/x')
      expect(text).toContain('Too many of these pages')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})
