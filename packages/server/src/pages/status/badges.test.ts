import { badgeStyles, badgeThemes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-16T12:00:00Z')
let [shopId, searchId, otherId] = ['', '', '']
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  const newService = async (name: string) =>
    (await api.alice.post('/v1/status-pages/services', { name })).body.id
  ;[shopId, searchId, otherId] = [
    await newService('Checkout'),
    await newService('Search'),
    await newService('x'),
  ]
  const cards = [{ name: 'Shop', services: [{ id: shopId }, { id: searchId }] }]
  await api.alice.post('/v1/status-pages', { name: 'Acme <b>', url: 'acme', cards })
})
afterAll(() => api.close())

async function badge(path: string, headers: Record<string, string> = {}) {
  now += 10_000
  const response = await api.nobody.send('GET', `/s/${path}`, undefined, headers)
  return { ...response, title: /<title>(.*?)<\/title>/.exec(response.text)?.[1] }
}

describe('the badge of a status page', () => {
  it('shows the state of the page or of a service', async () => {
    const { status, headers, title, text } = await badge('acme/badge.svg')
    expect([status, title]).toEqual([200, 'Acme &lt;b&gt;: Operational'])
    expect(headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('etag')).toMatch(/^"/)
    expect(text).not.toContain('<b>')
    const incidentUpdates = [{ description: 'We look.' }]
    const incident = { name: 'Down', severity: 'CRITICAL', services: [{ id: shopId }], incidentUpdates }
    await api.alice.post('/v1/status-pages/incidents', incident)
    expect((await badge('acme/badge.svg')).title).toBe('Acme &lt;b&gt;: Major outage')
    expect((await badge(`acme/services/${shopId}/badge.svg`)).title).toBe('Checkout: Major outage')
    expect((await badge(`acme/services/${searchId}/badge.svg`)).title).toBe('Search: Operational')
    const german = await badge('acme/badge.svg?lang=de')
    expect(german.title).not.toContain('Major outage')
  })

  it('has every style and theme; unknown ones are the default', async () => {
    const pictures = new Set<string>()
    for (const style of badgeStyles)
      for (const theme of badgeThemes)
        pictures.add((await badge(`acme/badge.svg?style=${style}&theme=${theme}`)).text)
    expect(pictures.size).toBe((badgeStyles.length - 1) * badgeThemes.length + 1)
    expect((await badge('acme/badge.svg?style=round&theme=blue')).text).toBe(
      (await badge('acme/badge.svg')).text,
    )
  })

  it('404: of a service that the page does not show, and of an unknown page', async () => {
    for (const path of [
      `acme/services/${otherId}/badge.svg`,
      'acme/services/x/badge.svg',
      'unknown/badge.svg',
    ])
      expect((await badge(path)).status, path).toBe(404)
  })

  it('401: of a private page, without its key', async () => {
    const cards = [{ name: 'Shop', services: [{ id: shopId }] }]
    const page = { name: 'Secret', url: 'secret', isPrivate: true, cards }
    const { body } = await api.alice.post('/v1/status-pages', page)
    for (const path of ['secret/badge.svg', `secret/services/${shopId}/badge.svg`]) {
      const refused = await badge(path)
      expect([refused.status, refused.text.includes('<svg')]).toEqual([401, false])
      const password = Buffer.from(`x:${body.keys[0].rawKey}`).toString('base64')
      const opened = await badge(path, { authorization: `Basic ${password}` })
      expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    }
  })
})
