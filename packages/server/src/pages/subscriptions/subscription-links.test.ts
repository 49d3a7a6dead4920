import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkPaths, subscriptionLink } from '../../links/subscription-link.ts'
import { openVault } from '../../storage/core/vault.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-15T08:00:00.000Z')
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const hostile = `<script>alert("x")</script>'&`

async function subscribed({ address = 'ada@example.com', name = 'Shop', isPrivate = false } = {}) {
  const services: string[] = []
  for (const name of ['Checkout', 'Payments', 'Shop'])
    services.push((await api.alice.post('/v1/status-pages/services', { name })).body.id)
  const cards = [{ name: 'All', services: services.map((id) => ({ id })) }]
  const page = { name, url: `p-${randomUUID().slice(0, 13)}`, isPrivate, cards }
  const path = `/v1/status-pages/${(await api.alice.post('/v1/status-pages', page)).body.id}/subscriptions`
  await api.alice.post(`${path}/bulk`, { subscriptions: [{ type: 'EMAIL', config: address }] })
  const [subscription] = (await api.alice.get(path)).body
  const context = { publicUrl: '', sign: api.vault.sign }
  return {
    id: subscription.id as string,
    path,
    services: services as [string, string, string],
    slug: page.url,
    choice: async () => {
      const { rows } = await api.store.pool.query(
        'select service_ids from status_page_subscriptions where id = $1',
        [subscription.id],
      )
      return rows[0].service_ids as string[] | null
    },
    managePath: subscriptionLink(context, 'manage', subscription.id),
    read: async () => (await api.alice.get(path)).body as { id: string; status: string }[],
    verifyPath: subscriptionLink(context, 'verify', subscription.id),
    unsubscribePath: subscriptionLink(context, 'unsubscribe', subscription.id),
  }
}

const get = (path: string, headers: Record<string, string> = {}) =>
  api.nobody.send('GET', path, undefined, headers)
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const undoIn = (text: string) => /name="undo" value="([^"]+)"/.exec(text)?.[1] ?? ''
const undo = (token: string) =>
  api.nobody.send('POST', '/s/_/restore', `undo=${encodeURIComponent(token)}`, form)

describe('the link that verifies', () => {
  it('makes the subscription VERIFIED, and once more changes nothing', async () => {
    const { verifyPath, read } = await subscribed()
    now += 60_000
    const first = await get(verifyPath)
    expect(first.status).toBe(200)
    expect(first.text).toContain('Your subscription is confirmed')
    expect(first.text).toContain('ada@example.com')
    const [verified] = await read()
    expect(verified).toMatchObject({ status: 'VERIFIED', updated_at: new Date(now).toISOString() })
    now += 60_000
    expect((await get(verifyPath)).status).toBe(200)
    expect(await read()).toEqual([verified])
  })

  it('does nothing for HEAD requests and prefetching browsers', async () => {
    const { verifyPath, read } = await subscribed()
    const head = await api.nobody.send('HEAD', verifyPath)
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect((await get(verifyPath, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(200)
    expect(await read()).toMatchObject([{ status: 'PENDING' }])
  })

  it('410: if the subscription was deleted', async () => {
    const { verifyPath, path, id } = await subscribed()
    await api.alice.delete(`${path}/${id}`)
    const response = await get(verifyPath)
    expect(response.status).toBe(410)
    expect(response.text).toContain('This subscription no longer exists')
  })

  it('404: a forged, cut or foreign token changes nothing', async () => {
    const [one, other] = [await subscribed(), await subscribed()]
    const token = one.verifyPath.slice(linkPaths.verify.length + 1)
    const otherToken = other.verifyPath.slice(linkPaths.verify.length + 1)
    const forged = [
      `${one.id}.${'A'.repeat(43)}`,
      `${one.id}.${otherToken.slice(37)}`,
      one.unsubscribePath.slice(linkPaths.unsubscribe.length + 1),
      token.slice(0, -1),
      `${token}A`,
      one.id,
      '%00',
      encodeURIComponent(hostile),
    ]
    for (const wrong of forged) {
      const response = await get(`${linkPaths.verify}/${wrong}`)
      expect([404, 400], wrong).toContain(response.status)
      expect(response.text).not.toContain('<script')
    }
    expect(await one.read()).toMatchObject([{ status: 'PENDING' }])
  })

  it('404: politely, when the secret key was changed since', async () => {
    const { id, read } = await subscribed()
    const { sign } = openVault('the secret key from before')
    const response = await get(subscriptionLink({ publicUrl: '', sign }, 'verify', id))
    expect(response.status).toBe(404)
    expect(response.text).toContain('the keys of this site have changed')
    expect(await read()).toMatchObject([{ status: 'PENDING' }])
  })
})

describe('the link that unsubscribes', () => {
  it('removes the subscription by one click, and twice is as good as once', async () => {
    const { unsubscribePath, read } = await subscribed()
    const first = await get(unsubscribePath)
    expect(first.status).toBe(200)
    expect(first.text).toContain('You are unsubscribed')
    expect(await read()).toEqual([])
    const second = await get(unsubscribePath)
    expect(second.status).toBe(200)
    expect(second.text).toContain('You are not subscribed')
  })

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])('removes it when a mail program posts %s (RFC 8058)', async (_name, type, body) => {
    const { unsubscribePath, read } = await subscribed()
    const response = await api.nobody.send('POST', unsubscribePath, body, { 'content-type': type })
    expect(response.status).toBe(200)
    expect(await read()).toEqual([])
  })

  it('does nothing for prefetches', async () => {
    const { unsubscribePath, read } = await subscribed()
    expect((await api.nobody.send('HEAD', unsubscribePath)).status).toBe(200)
    const ahead = await get(unsubscribePath, { purpose: 'prefetch' })
    expect(ahead.text).toContain('<button type="submit">Unsubscribe ada@example.com</button>')
    expect(await read()).toHaveLength(1)
  })

  it('404: a token for something else removes nothing', async () => {
    const { verifyPath, read } = await subscribed()
    const token = verifyPath.slice(linkPaths.verify.length + 1)
    expect((await get(`${linkPaths.unsubscribe}/${token}`)).status).toBe(404)
    expect((await api.nobody.post(`${linkPaths.unsubscribe}/${token}`)).status).toBe(404)
    expect(await read()).toHaveLength(1)
  })
})

describe('undo', () => {
  it('brings back the subscription under its old id, verified as it was, so that old links work', async () => {
    const { id, verifyPath, unsubscribePath, read } = await subscribed()
    await get(verifyPath)
    const response = await undo(undoIn((await get(unsubscribePath)).text))
    expect(response.status).toBe(200)
    expect(response.text).toContain('You are subscribed again')
    expect(await read()).toMatchObject([{ id, status: 'VERIFIED', address: 'ada@example.com' }])
    await get(unsubscribePath)
    expect(await read()).toEqual([])
  })

  it("doesn't verify an unconfirmed address", async () => {
    const { unsubscribePath, read } = await subscribed()
    await undo(undoIn((await get(unsubscribePath)).text))
    expect(await read()).toMatchObject([{ status: 'PENDING' }])
  })

  it('404: neither forged nor after a day', async () => {
    const { unsubscribePath, read } = await subscribed()
    const token = undoIn((await get(unsubscribePath)).text)
    const [text = '', signature] = token.split('.')
    const changed = Buffer.from(Buffer.from(text, 'base64url').toString().replace('ada@', 'eve@')).toString(
      'base64url',
    )
    for (const wrong of [`${changed}.${signature}`, text, '', 'x.y'])
      expect((await undo(wrong)).status).toBe(404)
    now += 86_400_000
    expect((await undo(token)).status).toBe(404)
    expect(await read()).toEqual([])
  })

  it('410: if the page was deleted', async () => {
    const { unsubscribePath, path } = await subscribed()
    const token = undoIn((await get(unsubscribePath)).text)
    await api.alice.delete(path.replace('/subscriptions', ''))
    expect((await undo(token)).status).toBe(410)
  })
})

describe('the page of a subscription', () => {
  const save = (path: string, ids: string[]) =>
    api.nobody.send('POST', path, ids.map((id) => `service[]=${id}`).join('&'), form)
  const checked = (text: string) => [...text.matchAll(/value="([0-9a-f-]{36})" checked/g)].map(([, id]) => id)

  it('shows the services, and saves others', async () => {
    const { managePath, verifyPath, services, choice } = await subscribed()
    expect(checked((await get(verifyPath)).text)).toEqual(services)
    const saved = await save(managePath, [services[0], services[2]])
    expect([saved.status, checked(saved.text)]).toEqual([200, [services[0], services[2]]])
    expect(await choice()).toEqual([services[0], services[2]])
    expect(checked((await get(managePath)).text)).toEqual([services[0], services[2]])
    await save(managePath, services)
    expect(await choice()).toBeNull()
  })

  it('400: no service, and services of others', async () => {
    const { managePath, services, choice } = await subscribed()
    await save(managePath, [services[0]])
    for (const ids of [[], [randomUUID()]]) expect((await save(managePath, ids)).status).toBe(400)
    expect(await choice()).toEqual([services[0]])
  })

  it('proposes the services of the mail that opened it, and saves nothing by itself', async () => {
    const { managePath, verifyPath, slug, services, choice, id } = await subscribed()
    await get(verifyPath)
    now += 3_600_000
    await api.nobody.send(
      'POST',
      `/s/${slug}/subscriptions`,
      `address=ada@example.com&service[]=${services[1]}`,
      form,
    )
    const { rows } = await api.store.pool.query(
      `select id from mails where subscription_id = $1 and kind = 'subscription_change'`,
      [id],
    )
    expect(rows).toHaveLength(1)
    const path = `${managePath}?mail=${rows[0].id}`
    expect(checked((await get(path)).text)).toEqual([services[1]])
    expect(await choice()).toBeNull()
    // A mail of another subscription proposes nothing.
    const other = await subscribed()
    expect(checked((await get(`${other.managePath}?mail=${rows[0].id}`)).text)).toEqual(other.services)
  })

  it('confirms what its own mail asked, whatever others requested meanwhile', async () => {
    const { slug, services } = await subscribed()
    const ask = (address: string, service: string) =>
      api.nobody.send('POST', `/s/${slug}/subscriptions`, `address=${address}&service[]=${service}`, form)
    await ask('eve@example.com', services[0])
    now += 3_600_000
    await ask('eve@example.com', services[1])
    const { rows } = await api.store.pool.query(
      `select m.id, m.subscription_id from mails m where m.recipient = 'eve@example.com' order by m.created_at`,
    )
    expect(rows).toHaveLength(2)
    const context = { publicUrl: '', sign: api.vault.sign }
    const link = subscriptionLink(context, 'verify', rows[1].subscription_id)
    expect(checked((await get(`${link}?mail=${rows[1].id}`)).text)).toEqual([services[1]])
    // Once it is confirmed, an older mail changes nothing.
    expect(checked((await get(`${link}?mail=${rows[0].id}`)).text)).toEqual([services[1]])
  })

  it('of a private page has no services, because the subscriber has no key', async () => {
    const { managePath, services } = await subscribed({ isPrivate: true })
    const { status, text } = await get(managePath)
    expect(status).toBe(200)
    expect(text).not.toContain('Checkout')
    expect(text).toContain('Unsubscribe')
    expect((await save(managePath, [services[0]])).status).toBe(400)
  })

  it('unsubscribes, and an undo keeps the services', async () => {
    const { managePath, services, choice, read } = await subscribed()
    await save(managePath, [services[0]])
    const action = /action="([^"]+unsubscribe[^"]+)"/.exec((await get(managePath)).text)?.[1] ?? ''
    const removed = await api.nobody.send('POST', action, '', form)
    expect(await read()).toEqual([])
    expect((await undo(undoIn(removed.text))).status).toBe(200)
    expect(await choice()).toEqual([services[0]])
  })

  it('404 and 410: forged links, and subscriptions that were removed', async () => {
    const { managePath, verifyPath, path, id, services } = await subscribed()
    const token = verifyPath.slice(linkPaths.verify.length + 1)
    expect((await get(`${linkPaths.manage}/${token}`)).status).toBe(404)
    expect((await save(`${linkPaths.manage}/${token}`, [services[0]])).status).toBe(404)
    await api.alice.delete(`${path}/${id}`)
    expect((await get(managePath)).status).toBe(410)
  })

  it('speaks German', async () => {
    const { managePath, verifyPath, unsubscribePath } = await subscribed()
    const german = { 'accept-language': 'de' }
    expect((await get(verifyPath, german)).text).toContain('Ihr Abonnement ist bestätigt')
    expect((await get(managePath, german)).text).toContain('Dienste')
    const removed = await get(`${unsubscribePath}?lang=de`)
    expect(removed.text).toContain('<html lang="de">')
    expect(removed.text).toContain('action="/s/_/restore?lang=de"')
    expect((await get(managePath, german)).text).toContain('Dieses Abonnement gibt es nicht mehr')
  })
})

describe('every page', () => {
  it("shows hostile names as text, runs no script, and isn't cached", async () => {
    const { verifyPath, unsubscribePath } = await subscribed({ name: hostile })
    for (const path of [verifyPath, unsubscribePath, `${linkPaths.verify}/x`]) {
      const { headers, text } = await get(path)
      expect(text).not.toContain('<script')
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; form-action 'self';/,
      )
      expect(policy).not.toContain('unsafe')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect((await get(verifyPath)).status).toBe(410)
  })

  it('413: refuses a form that is too large, as a page', async () => {
    const { unsubscribePath, read } = await subscribed()
    const response = await api.nobody.send('POST', unsubscribePath, `a=${'x'.repeat(20_000)}`, form)
    expect(response.status).toBe(413)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await read()).toHaveLength(1)
  })
})
