import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const hour = 3600
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

it('200, 400, 404: has the maintenance, deployments and changes of a check', async () => {
  const owner = await api.newAccount()
  const { body: check } = await owner.post('/v1/checks/url', { ...checkTypes.URL.example, tags: ['shop'] })
  const { body: other } = await owner.post('/v1/checks/url', checkTypes.URL.example)
  const now = Math.floor(Date.now() / 1000)
  const window = { startsAt: iso(now - 2 * hour), endsAt: iso(now - hour) }
  await owner.post('/v1/maintenance-windows', { name: 'Release', tags: ['shop'], ...window })
  await owner.post('/v1/maintenance-windows', { name: 'Other', tags: ['mail'], ...window })
  await owner.post('/v1/deployments', { environmentName: 'production', sha: '9b1f5a3e6d0c' })
  await owner.post('/v1/deployments', { environmentName: 'staging', checkId: other.id })
  await owner.put(`/v1/checks/url/${check.id}`, { name: 'Renamed' })
  const path = `/v1/checks/${check.id}/timeline`
  const range = `from=${now - 24 * hour}&to=${now + hour}`
  const { status, body } = await owner.get(`${path}?${range}`)
  expect(status).toBe(200)
  expect(body.maintenance).toEqual([{ from: window.startsAt, to: window.endsAt }])
  const texts = body.events.map(({ kind, text }: { kind: string; text: string }) => `${kind}: ${text}`)
  expect(texts).toContain('deployment: Deployment production 9b1f5a3e')
  expect(texts).toContain('change: Owner: Update a URL monitor')
  expect(texts.join()).not.toContain('staging')
  expect((await owner.get(`${path}?from=${now}&to=${now}`)).status).toBe(400)
  expect((await api.bob.get(`${path}?${range}`)).status).toBe(404)
})

it('marks when the certificate chain changed, once for each chain', async () => {
  const owner = await api.newAccount()
  const { body: check } = await owner.post('/v1/checks/url', checkTypes.URL.example)
  const end = Math.floor(Date.now() / 1000)
  const start = end - 20 * 24 * hour
  const certificate = (digit: string, validTo: string) => ({
    ...{ chainSha256: digit.repeat(64), subject: 'CN=shop.example', issuer: "O=Let's Encrypt" },
    validTo: Date.parse(validTo),
  })
  const old = certificate('a', '2026-12-01T00:00:00Z')
  const renewed = certificate('b', '2027-03-01T00:00:00Z')
  const otherChain = certificate('c', '2027-03-01T00:00:00Z')
  const runs = [
    { after: 0, certificate: old },
    { after: 1, certificate: old },
    // Behind a load balancer, the old one is sent for some hours.
    { after: 2, certificate: renewed },
    { after: 3, certificate: old },
    { after: 5, certificate: renewed },
    { after: 6, certificate: otherChain },
    // Rolled back much later.
    { after: 300, certificate: old },
  ]
  const at = (after: number) => (start + after * hour) * 1000
  for (const { after, certificate } of runs) {
    const result = {
      accountId: owner.accountId,
      checkId: check.id,
      scheduledAt: at(after),
      startedAt: at(after),
    }
    await insertResults(api.store, [{ ...result, checkType: 'URL', certificate }])
  }
  const path = `/v1/checks/${check.id}/timeline`
  const { body } = await owner.get(`${path}?from=${start - hour}&to=${end}`)
  const marks = body.events.filter(({ kind }: { kind: string }) => kind === 'certificate')
  const renewal = "New certificate of CN=shop.example, issued by O=Let's Encrypt, valid until"
  expect(marks).toEqual([
    {
      at: iso(start + 2 * hour),
      kind: 'certificate',
      text: `${renewal} 2027-03-01, first seen from eu-west-1`,
    },
    {
      ...{ at: iso(start + 6 * hour), kind: 'certificate' },
      text: 'Another chain for the certificate of CN=shop.example, first seen from eu-west-1',
    },
    {
      at: iso(start + 300 * hour),
      kind: 'certificate',
      text: `${renewal} 2026-12-01, first seen from eu-west-1`,
    },
  ])
  const seen = body.certificates.map((one: { firstSeenAt: string; lastSeenAt: string }) => [
    one.firstSeenAt,
    one.lastSeenAt,
  ])
  expect(seen).toEqual(
    [
      [0, 3],
      [2, 5],
      [6, 6],
      [300, 300],
    ].map((hours) => hours.map((after) => new Date(at(after)).toISOString())),
  )
  expect(body.certificateAlertDays).toBeNull()

  // Of a later range, only what was seen in it.
  const later = await owner.get(`${path}?from=${start + 290 * hour}&to=${end}`)
  expect(later.body.certificates).toHaveLength(1)

  const channel = { type: 'WEBHOOK', config: { name: 'Hook', url: 'https://hook.example' } }
  const subscriptions = [{ checkId: check.id, activated: true }]
  for (const sslExpiryThreshold of [14, 21])
    await owner.post('/v1/alert-channels', { ...channel, subscriptions, sslExpiry: true, sslExpiryThreshold })
  expect((await owner.get(path)).body.certificateAlertDays).toBe(21)
})
