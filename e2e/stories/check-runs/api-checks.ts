import { createClientCertificate } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { Authority } from '../../target/certificates.ts'
import { Site } from '../../target/site.ts'
import { openShop } from './shop.ts'

const json = { 'content-type': 'application/json' }

export function apiChecks(scene: Scene): void {
  const shop = openShop(scene, { degradedResponseTime: 4_000, maxResponseTime: 10_000 })
  const check = shop.check

  it('passes, degrades, fails with the reason, and recovers', async () => {
    const { account } = scene
    const assertions = [{ source: 'JSON_BODY', property: '$.stock', comparison: 'GREATER_THAN', target: '0' }]
    const id = await check({ url: shop.site.url('/stock'), assertions })

    shop.site.on('/stock', { headers: json, body: '{"stock": 7}' })
    expect(await account.run(id)).toMatchObject({ hasFailures: false, isDegraded: false, failure: null })
    expect(await account.state(id)).toBe('passing')

    shop.site.on('/stock', { headers: json, body: '{"stock": 7}', delayMs: 4_100 })
    expect(await account.run(id)).toMatchObject({ isDegraded: true, failure: { kind: 'response_time' } })
    expect(await account.state(id)).toBe('degraded')

    shop.site.on('/stock', { headers: json, body: '{"stock": 0}' })
    const failed = await account.run(id)
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'assertion', phase: 'judge' } })
    expect(failed.apiCheckResult?.assertions).toMatchObject([
      { source: 'JSON_BODY', actual: 0, error: expect.any(String) },
    ])
    expect(await account.state(id)).toBe('failing')
    expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

    shop.site.on('/stock', { headers: json, body: '{"stock": 1}' })
    expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(await account.state(id)).toBe('passing')
  })

  it('has assertions about every source, and reports the actual values', async () => {
    shop.site.on('/all', {
      headers: { ...json, 'x-shop': 'open; till=3' },
      body: '{"items": [1, 2], "name": "Bern"}',
    })
    const all = (wrong: boolean) => [
      { source: 'STATUS_CODE', comparison: 'EQUALS', target: wrong ? '201' : '200' },
      { source: 'JSON_BODY', property: '$.items.length', comparison: 'EQUALS', target: wrong ? '3' : '2' },
      {
        source: 'HEADERS',
        property: 'x-shop',
        regex: 'till=(\\d)',
        comparison: 'EQUALS',
        target: wrong ? '4' : '3',
      },
      {
        source: 'TEXT_BODY',
        property: '"name": "(.*)"',
        comparison: 'EQUALS',
        target: wrong ? 'Basel' : 'Bern',
      },
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: wrong ? '0' : '9000' },
    ]
    const right = await scene.account.run(await check({ url: shop.site.url('/all'), assertions: all(false) }))
    expect(right).toMatchObject({ hasFailures: false })
    expect(right.apiCheckResult?.assertions.map(({ error }) => error)).toEqual(Array(5).fill(undefined))
    const wrong = await scene.account.run(await check({ url: shop.site.url('/all'), assertions: all(true) }))
    expect(wrong).toMatchObject({ hasFailures: true, failure: { kind: 'assertion' } })
    expect(wrong.apiCheckResult?.assertions.map(({ actual }) => actual)).toEqual([
      200,
      2,
      '3',
      'Bern',
      expect.any(Number),
    ])
    expect(wrong.apiCheckResult?.assertions.every(({ error }) => typeof error === 'string')).toBe(true)
  })

  it('sends its configured request', async () => {
    const id = await check({
      method: 'POST',
      url: shop.site.url('/orders?kept=1'),
      bodyType: 'JSON',
      body: '{"order": 1}',
      headers: [{ key: 'x-shop', value: 'Bern' }],
      queryParameters: [{ key: 'added', value: 'a b' }],
    })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false })
    expect(shop.site.seen('/orders')).toMatchObject([
      {
        method: 'POST',
        query: { kept: '1', added: 'a b' },
        headers: { 'x-shop': 'Bern', 'content-type': 'application/json' },
        body: '{"order": 1}',
      },
    ])
  })

  it('follows redirects if configured, or else treats them as the response', async () => {
    shop.site.on('/old', { status: 301, headers: { location: '/new' } })
    shop.site.on('/new', { body: 'here' })
    const followed = await scene.account.run(await check({ url: shop.site.url('/old') }))
    expect(followed).toMatchObject({ statusCode: 200, hasFailures: false })
    expect(followed.apiCheckResult).toMatchObject({
      response: { body: 'here', href: shop.site.url('/new') },
      redirects: [{ status: 301 }],
    })
    const stayed = await scene.account.run(
      await check({ url: shop.site.url('/old'), followRedirects: false }),
    )
    expect(stayed).toMatchObject({ statusCode: 301, hasFailures: false })
  })

  it('sends its user and password to its target only', async () => {
    const user = { username: 'shop', password: 'correct horse battery' }
    shop.site.on('/private', { user })
    const id = await check({ url: shop.site.url('/private'), basicAuth: user })
    const result = await scene.account.run(id)
    expect(result).toMatchObject({ statusCode: 200, hasFailures: false })
    const text = JSON.stringify(result)
    expect(text).not.toContain(user.password)
    expect(text).not.toContain(Buffer.from(`${user.username}:${user.password}`).toString('base64'))
    expect(await scene.account.run(await check({ url: shop.site.url('/private') }))).toMatchObject({
      statusCode: 401,
      hasFailures: true,
    })
  })

  it('sends the client certificate of the host', async () => {
    const { account, authority } = scene
    const people = new Authority('People of this shop')
    const shop = await Site.open({
      tls: { ...authority.issue({ hosts: ['127.0.0.1'] }), clientAuthority: people.cert },
    })
    const id = await check({ url: shop.url('/', '127.0.0.1') })
    expect(await account.run(id)).toMatchObject({ hasFailures: true, statusCode: 403 })
    const clerk = people.issue({ hosts: ['clerk.test'] })
    await account.call(createClientCertificate, { body: { host: '127.0.0.1', ...clerk } })
    const result = await account.run(id)
    expect(result).toMatchObject({ hasFailures: false, statusCode: 200 })
    expect(shop.requests.at(-1)?.clientName).toBe('clerk.test')
    expect(JSON.stringify(result)).not.toContain(clerk.key.split('\n')[1])
    await shop.shut()
  })
}
