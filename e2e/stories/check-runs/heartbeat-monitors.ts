import {
  createHeartbeatMonitor,
  getHeartbeatAvailability,
  listCheckResults,
  listHeartbeatEvents,
} from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'

export function heartbeatMonitors(scene: Scene): void {
  async function monitor(): Promise<{ id: string; ping: (method: string) => Promise<Response> }> {
    const check = await scene.account.call(createHeartbeatMonitor, {
      body: {
        name: 'Nightly backup',
        heartbeat: { period: 30, periodUnit: 'seconds', grace: 1, graceUnit: 'seconds' },
      },
    })
    const { pathname } = new URL(check.heartbeat.pingUrl as string)
    return { id: check.id, ping: (method) => fetch(scene.account.baseUrl + pathname, { method }) }
  }

  async function events(checkId: string) {
    const [response] = await scene.account.call(listHeartbeatEvents, { params: { checkId } })
    return response?.events ?? []
  }

  it('passes when it is pinged, fails when no ping comes, and recovers with the next one', {
    tags: ['story'],
  }, async () => {
    const { account } = scene
    const { id, ping } = await monitor()
    expect(await (await ping('GET')).json()).toMatchObject({ accepted: true })
    await until('the first ping to count', async () => (await account.fetch(`/v1/check-statuses/${id}`)).ok)
    expect(await account.state(id)).toBe('passing')
    expect(await events(id)).toMatchObject([{ state: 'RECEIVED' }])

    await until('the deadline to pass', async () => (await account.state(id)) === 'failing', 60_000)
    const [failed] = await account.call(listCheckResults, { params: { checkId: id } })
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'missed_ping' } })
    expect(await events(id)).toMatchObject([{ state: 'FAILING' }, { state: 'RECEIVED' }])
    expect(await account.errorMessages(id)).toEqual([failed?.failure?.message])

    await ping('GET')
    await until('the monitor to recover', async () => (await account.state(id)) === 'passing')
    expect(await events(id)).toMatchObject([{ state: 'LATE' }, { state: 'FAILING' }, { state: 'RECEIVED' }])
    const availability = await account.call(getHeartbeatAvailability, { params: { checkId: id } })
    expect(availability.totalEntitiesCurrentPeriod).toBe(3)
    expect(availability.successRatio.currentPeriod).toBeCloseTo(66.67, 1)
  })

  it('is pinged by GET, POST and HEAD, with any body', async () => {
    const { id, ping } = await monitor()
    for (const method of ['GET', 'POST', 'HEAD']) {
      const response = await ping(method)
      expect([method, response.status]).toEqual([method, 200])
      const text = await response.text()
      if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ accepted: true })
    }
    await until('all pings to be events', async () => (await events(id)).length === 3)
    expect((await events(id)).map(({ state }) => state)).toEqual(['EARLY', 'EARLY', 'RECEIVED'])
    expect((await fetch(`${scene.account.baseUrl}/ping/00000000-0000-4000-8000-000000000000`)).status).toBe(
      404,
    )
  })
}
