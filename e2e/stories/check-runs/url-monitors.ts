import { createUrlMonitor } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deniedAddress, onDemandOnly, type Scene } from '../../scene.ts'
import { selfSigned } from '../../target/certificates.ts'
import { type Behavior, Site } from '../../target/site.ts'

const shown = ['localhost', '127.0.0.1']
const year = 365 * 86_400_000

export function urlMonitors(scene: Scene): void {
  let site: Site
  const sites: Site[] = []

  beforeAll(async () => {
    site = await open()
  })
  afterAll(async () => {
    for (const one of sites) await one.shut()
  })

  async function open(options: Parameters<typeof Site.open>[0] = {}): Promise<Site> {
    const opened = await Site.open(options)
    sites.push(opened)
    return opened
  }

  async function monitor(url: string, settings: object = {}): Promise<string> {
    const check = await scene.account.call(createUrlMonitor, {
      body: {
        name: url,
        ...onDemandOnly,
        locations: ['eu-west-1'],
        doubleCheck: false,
        degradedResponseTime: 4_000,
        maxResponseTime: 10_000,
        request: { url },
        ...settings,
      },
    })
    return check.id
  }

  it('passes, degrades, fails with the reason, and recovers', async () => {
    const { account } = scene
    const id = await monitor(site.url('/shop'))

    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, isDegraded: false, statusCode: 200, failure: null })
    expect(passed.apiCheckResult).toMatchObject({ ip: '127.0.0.1', response: { body: 'all is well' } })
    expect(await account.state(id)).toBe('passing')

    site.on('/shop', { delayMs: 4_100 })
    const slow = await account.run(id)
    expect(slow).toMatchObject({ hasFailures: false, isDegraded: true, failure: { kind: 'response_time' } })
    expect(slow.responseTime).toBeGreaterThanOrEqual(4_100)
    expect(await account.state(id)).toBe('degraded')
    expect(await account.errorMessages(id)).toEqual([])

    site.on('/shop', { status: 503, body: 'closed' })
    const failed = await account.run(id)
    expect(failed).toMatchObject({
      hasFailures: true,
      statusCode: 503,
      failure: { kind: 'status', code: '503' },
    })
    expect(await account.state(id)).toBe('failing')
    expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

    site.on('/shop', {})
    expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(await account.state(id)).toBe('passing')
  })

  it('reports a closed port, and passes when it is open again', async () => {
    const { account } = scene
    const shop = await open()
    const id = await monitor(shop.url())
    await shop.shut()
    const refused = await account.run(id)
    expect(refused).toMatchObject({
      hasFailures: true,
      statusCode: null,
      failure: {
        kind: 'connect',
        phase: 'connect',
        address: `127.0.0.1:${shop.port}`,
        code: 'ECONNREFUSED',
      },
    })
    expect(refused.diagnostics).toMatchObject({
      target: { host: 'localhost', port: shop.port },
      addresses: [{ address: `127.0.0.1:${shop.port}`, tried: true, failure: { code: 'ECONNREFUSED' } }],
    })
    await shop.reopen()
    expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
  })

  const faults: [string, Behavior, object][] = [
    [
      'a connection that breaks off',
      { fault: 'reset', headers: { 'content-length': '1000' } },
      { kind: 'connect', phase: 'receive', code: 'ECONNRESET' },
    ],
    [
      'a redirect that leads back to itself',
      { status: 302, headers: { location: 'circle' } },
      { kind: 'redirect', phase: 'receive' },
    ],
  ]
  async function expectFault(path: string, behavior: Behavior, failure: object): Promise<void> {
    site.on(path, behavior)
    const result = await scene.account.run(await monitor(site.url(path)))
    const address = `127.0.0.1:${site.port}`
    expect(result).toMatchObject({ hasFailures: true, failure: { ...failure, address } })
  }
  it.each(faults)('identifies %s', (what, behavior, failure) =>
    expectFault(`/${faults.findIndex(([name]) => name === what)}/circle`, behavior, failure),
  )
  it('identifies a request without a response', { tags: ['story'] }, () =>
    expectFault('/silent', { fault: 'half-open' }, { kind: 'timeout', phase: 'wait' }),
  )

  it('fails on a body that arrives too slowly', { tags: ['story'] }, async () => {
    site.on('/drip', { dripMs: 600, body: 'a body of twenty-odd' })
    expect(await scene.account.run(await monitor(site.url('/drip')))).toMatchObject({
      hasFailures: true,
      overMaxResponseTime: true,
      statusCode: 200,
      failure: { kind: 'response_time', phase: 'judge' },
    })
  })

  it('trusts a certificate of an authority that its agent trusts, and counts the days until it expires', async () => {
    const { account, authority } = scene
    const shop = await open({ tls: authority.issue({ hosts: shown }) })
    const id = await monitor(shop.url())
    const result = await account.run(id)
    expect(result).toMatchObject({ hasFailures: false, statusCode: 200 })
    expect(result.apiCheckResult?.tls).toMatchObject({ protocol: 'TLSv1.3' })
    const status = await account.fetch(`/v1/check-statuses/${id}`)
    expect(await status.json()).toMatchObject({ sslDaysRemaining: 89 })
  })

  const issue = (wish: object) => scene.authority.issue({ hosts: shown, ...wish })
  const past = { from: new Date(Date.now() - year), until: new Date(Date.now() - year / 2) }
  it.each([
    ['has expired', () => issue(past), 'CERT_HAS_EXPIRED'],
    ['is for another host', () => issue({ hosts: ['elsewhere.test'] }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is self-signed', () => selfSigned({ hosts: shown }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('fails on a certificate that %s, unless skipSSL is set', async (_, certificate, code) => {
    const shop = await open({ tls: certificate() })
    const result = await scene.account.run(await monitor(shop.url()))
    expect(result).toMatchObject({ hasFailures: true, failure: { kind: 'tls', phase: 'tls', code } })
    expect(result.failure?.address).toBe(`127.0.0.1:${shop.port}`)
    expect(shop.requests).toEqual([])
    const careless = await monitor(shop.url(), { request: { url: shop.url(), skipSSL: true } })
    expect(await scene.account.run(careless)).toMatchObject({ hasFailures: false, statusCode: 200 })
  })

  it('refuses an address that its agent must not reach', async () => {
    const result = await scene.account.run(await monitor(`http://${deniedAddress}:${site.port}/`))
    expect(result).toMatchObject({ hasFailures: true, failure: { kind: 'blocked' } })
  })

  it('accepts an error status if it is allowed, and still checks its assertions', async () => {
    site.on('/gone', { status: 410 })
    const id = await monitor(site.url('/gone'), { shouldFail: true })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false, statusCode: 410 })
    const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '404' }]
    const strict = await monitor(site.url('/gone'), {
      shouldFail: true,
      request: { url: site.url('/gone'), assertions },
    })
    expect(await scene.account.run(strict)).toMatchObject({
      hasFailures: true,
      statusCode: 410,
      failure: { kind: 'assertion', phase: 'judge' },
    })
  })
}
