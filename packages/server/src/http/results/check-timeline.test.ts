import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

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
