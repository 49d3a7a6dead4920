// Checks that are muted for a time: nothing is sent meanwhile, and those that still fail are reported once afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endMutes } from '../alerting/decision/end-mutes.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, minute, passed, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

const inMinutes = (count: number) => new Date(world.now() + count * minute).toISOString()
const change = (id: string, changes: object) => world.api.alice.put(`/v1/checks/url/${id}`, changes)
const end = () =>
  inTransaction(world.api.store.pool, (client) => endMutes(client, { now: world.now(), isAlerting: true }))
const readMute = async (id: string) => {
  const { body } = await world.api.alice.get('/v1/overview/checks?limit=200')
  const { muted, mutedUntil } = body.entries.find((check: { id: string }) => check.id === id)
  return { muted, mutedUntil }
}

describe('a check that is muted for a time', () => {
  it('is reported once when the time is over and it still fails', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    const mutedUntil = inMinutes(3)
    expect((await change(id, { mutedUntil })).body).toMatchObject({ muted: false, mutedUntil })
    expect(await readMute(id)).toEqual({ muted: true, mutedUntil })
    await world.run(id, refused, refused)
    expect(await world.alertsOf(id)).toEqual(['NO_ALERT (muted)'])
    expect(await end()).toBe(0)
    await world.run(id, refused, refused)
    expect(await end()).toBe(1)
    expect(await readMute(id)).toEqual({ muted: false, mutedUntil: null })
    expect(await end()).toBe(0)
    await world.run(id, refused, passed)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN', 'ALERT_RECOVERY'])
  })

  it('is reminded of if it had been reported before', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    await world.run(id, refused)
    await change(id, { mutedUntil: inMinutes(2) })
    await world.run(id, refused, refused)
    await end()
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_FAILURE reminder 0'])
    await world.run(id, refused, passed)
    expect(await world.sentTo(hook, id)).toHaveLength(3)
  })

  it('is not reported if it has recovered, or is muted for good', async () => {
    const hook = await world.channel()
    const [recovered, muted] = [await world.checkFor([hook]), await world.checkFor([hook])]
    for (const id of [recovered, muted]) await change(id, { mutedUntil: inMinutes(3.5) })
    await world.run(recovered, refused, passed)
    await world.run(muted, refused)
    await change(muted, { muted: true })
    world.pass(minute)
    await end()
    expect(await world.sentTo(hook, recovered)).toEqual([])
    expect(await world.sentTo(hook, muted)).toEqual([])
    expect(await readMute(muted)).toEqual({ muted: true, mutedUntil: null })
  })

  it('sends again as soon as the time is over, before the loop has cleared it', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    await change(id, { mutedUntil: inMinutes(1.5) })
    await world.run(id, passed, passed, refused)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    expect(await end()).toBe(1)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('200, 400: null ends it; a time in the past or in years is refused; other changes keep it', async () => {
    const id = await world.checkFor([])
    const mutedUntil = inMinutes(60)
    await change(id, { mutedUntil })
    expect((await change(id, { muted: false, name: 'Renamed' })).body.mutedUntil).toBe(mutedUntil)
    expect((await change(id, { mutedUntil: null })).body.mutedUntil).toBeNull()
    const past = await change(id, { mutedUntil: inMinutes(-1) })
    expect(past).toMatchObject({ status: 400 })
    expect(past.text).toContain('must be in the future')
    expect(await change(id, { mutedUntil: inMinutes(600 * 24 * 60) })).toMatchObject({ status: 400 })
    expect(await change(id, { mutedUntil: 'tomorrow' })).toMatchObject({ status: 400 })
  })
})

describe('a group that is muted for a time', () => {
  const makeGroup = async () =>
    (await world.api.alice.post('/v2/check-groups?autoAssignAlerts=false', { name: 'Shop' })).body.id
  const changeGroup = (id: number, changes: object) => world.api.alice.put(`/v2/check-groups/${id}`, changes)

  it('reports each check that still fails once when the time is over', async () => {
    const hook = await world.channel()
    const groupId = await makeGroup()
    const [failing, passing] = [
      await world.checkFor([hook], { groupId }),
      await world.checkFor([hook], { groupId }),
    ]
    const mutedUntil = inMinutes(2.5)
    expect((await changeGroup(groupId, { mutedUntil })).body).toMatchObject({ muted: false, mutedUntil })
    expect(await readMute(failing)).toEqual({ muted: true, mutedUntil })
    const { body } = await world.api.alice.get(`/v1/checks/${failing}?applyGroupSettings=true`)
    expect(body).toMatchObject({ muted: false, mutedUntil })
    await world.run(failing, refused, refused)
    expect(await world.alertsOf(failing)).toEqual(['NO_ALERT (muted)'])
    expect(await end()).toBe(0)
    await world.run(failing, refused)
    expect(await end()).toBe(1)
    expect(await end()).toBe(0)
    expect(await readMute(failing)).toEqual({ muted: false, mutedUntil: null })
    expect((await changeGroup(groupId, {})).body.mutedUntil).toBeNull()
    await world.run(failing, refused, passed)
    expect(await world.sentTo(hook, failing)).toEqual(['ALERT_FAILURE_REMAIN', 'ALERT_RECOVERY'])
    expect(await world.sentTo(hook, passing)).toEqual([])
  })

  it('stays silent for checks that are muted for longer, and reports them then', async () => {
    const hook = await world.channel()
    const groupId = await makeGroup()
    const id = await world.checkFor([hook], { groupId })
    await changeGroup(groupId, { mutedUntil: inMinutes(1.5) })
    await change(id, { mutedUntil: inMinutes(3.5) })
    await world.run(id, refused, refused)
    await end()
    expect(await readMute(id)).toMatchObject({ muted: true })
    expect(await world.sentTo(hook, id)).toEqual([])
    await world.run(id, refused, refused)
    await end()
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN'])
  })

  it('200, 400: null ends it; a time in the past or in years is refused; other changes keep it', async () => {
    const groupId = await makeGroup()
    const mutedUntil = inMinutes(60)
    await changeGroup(groupId, { mutedUntil })
    expect((await changeGroup(groupId, { name: 'Store' })).body.mutedUntil).toBe(mutedUntil)
    expect((await changeGroup(groupId, { mutedUntil: null })).body.mutedUntil).toBeNull()
    const past = await changeGroup(groupId, { mutedUntil: inMinutes(-1) })
    expect(past).toMatchObject({ status: 400 })
    expect(past.text).toContain('must be in the future')
    const created = { name: 'Far', mutedUntil: inMinutes(600 * 24 * 60) }
    expect(await world.api.alice.post('/v2/check-groups', created)).toMatchObject({ status: 400 })
  })
})
