import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markChannelFailing, markChannelHealthy } from '../../storage/alerts/channel-health.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const first = Date.UTC(2026, 10, 15, 12)
const well = { status: 'OK', since: null, error: null }
const slack = { type: 'SLACK', config: { url: 'https://hooks.example.com/T0/link', channel: '#ops' } }

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function failingChannel(isRefusing = true): Promise<{ id: number; path: string }> {
  const { id } = (await api.alice.post('/v1/alert-channels', slack)).body
  await markChannelFailing(api.store.pool, id, { failure: '404 no_service', isRefusing, now: first })
  return { id, path: `/v1/alert-channels/${id}` }
}

const healthOf = async (path: string) => (await api.alice.get(path)).body.health

describe('the health of an alert channel', () => {
  it('shows since when deliveries fail and the last error', async () => {
    const { id, path } = await failingChannel(false)
    const since = '2026-11-15T12:00:00.000Z'
    expect(await healthOf(path)).toEqual({ status: 'FAILING', since, error: '404 no_service' })
    const later = { failure: '403 action_prohibited', isRefusing: true, now: first + 60_000 }
    await markChannelFailing(api.store.pool, id, later)
    const refusing = { status: 'REFUSING', since, error: '403 action_prohibited' }
    expect(await healthOf(path)).toEqual(refusing)
    const listed = (await (await api.as('READ_ONLY')).get('/v1/alert-channels?limit=100')).body
    expect(listed.find((channel: { id: number }) => channel.id === id).health).toEqual(refusing)
  })

  it('is well after a delivery, and a new failure begins anew', async () => {
    const { id, path } = await failingChannel()
    await markChannelHealthy(api.store.pool, id)
    expect(await healthOf(path)).toEqual(well)
    await markChannelFailing(api.store.pool, id, { failure: 'timeout', isRefusing: false, now: first + 1 })
    expect(await healthOf(path)).toEqual({
      status: 'FAILING',
      since: '2026-11-15T12:00:00.001Z',
      error: 'timeout',
    })
  })

  it('writes nothing where nothing changes', async () => {
    const { id } = await failingChannel()
    const version = async () =>
      (await api.store.pool.query('select xmin::text from alert_channels where id = $1', [id])).rows[0].xmin
    const marked = await version()
    await markChannelFailing(api.store.pool, id, {
      failure: '404 no_service',
      isRefusing: true,
      now: first + 9,
    })
    expect(await version()).toBe(marked)
    await markChannelHealthy(api.store.pool, id)
    const healed = await version()
    expect(healed).not.toBe(marked)
    await markChannelHealthy(api.store.pool, id)
    expect(await version()).toBe(healed)
  })

  it('is that of the channel alone', async () => {
    const { id } = await failingChannel()
    const other = await failingChannel()
    await markChannelHealthy(api.store.pool, id)
    expect((await healthOf(other.path)).status).toBe('REFUSING')
  })

  it.each([
    ['another address', { ...slack, config: { ...slack.config, url: 'https://hooks.example.com/T1/link' } }],
    ['another type', { type: 'EMAIL', config: { address: 'a@example.com' } }],
  ])('is forgotten with the settings it was about: %s', async (_, changed) => {
    const { path } = await failingChannel()
    const { status, body } = await api.alice.put(path, changed)
    expect([status, body.health]).toEqual([200, well])
    expect(await healthOf(path)).toEqual(well)
  })

  it('stays when the settings do, secrets sent back as masks included', async () => {
    const { path } = await failingChannel()
    const before = await healthOf(path)
    expect(before.status).toBe('REFUSING')
    const masked = { ...slack, config: { ...slack.config, url: '***' }, sendDegraded: true }
    const { status, body } = await api.alice.put(path, masked)
    expect([status, body.sendDegraded, body.health]).toEqual([200, true, before])
    const sentBack = await api.alice.put(path, { ...body, health: well })
    expect(sentBack.body.health).toEqual(before)
  })
})
