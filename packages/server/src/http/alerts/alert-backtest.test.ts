import { backtestLimits, checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertAlert } from '../../testing/alerts.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const path = '/v1/alert-settings/backtest'
const now = Date.UTC(2026, 10, 15, 12)
const [minute, day] = [60_000, 86_400_000]

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

async function createCheck(owner: Caller, part: object = {}): Promise<string> {
  const response = await owner.post('/v1/checks/api', { ...checkTypes.API.example, ...part })
  expect(response.status).toBe(201)
  return response.body.id
}

/** One a minute, the last one that many minutes before now: f fails, p passes. */
async function record(owner: Caller, checkId: string, states: string, minutesAgo: number): Promise<number> {
  const first = now - (minutesAgo + states.length - 1) * minute
  const results = [...states].map(
    (state, index): SomeResult => ({
      accountId: owner.accountId,
      checkId,
      scheduledAt: first + index * minute,
      hasFailures: state === 'f',
    }),
  )
  await insertResults(api.store, results)
  // What the server itself decided of them is another test's business.
  await api.store.pool.query('delete from check_alerts where check_id = $1', [checkId])
  return first
}

const threshold = (failedRunThreshold: number) => ({ runBasedEscalation: { failedRunThreshold } })
const iso = (at: number) => new Date(at).toISOString()

describe('POST /v1/alert-settings/backtest', () => {
  let checkId: string
  let first: number
  beforeEach(async () => {
    checkId = await createCheck(api.alice)
    first = await record(api.alice, checkId, 'ppfpfffp', 10)
  })

  it('200: when it would have notified people, and when not', async () => {
    const { status, body } = await api.alice.post(path, {
      alertSettings: threshold(3),
      target: { checkId: [checkId] },
    })
    expect(status).toBe(200)
    const figures = {
      results: 8,
      runs: 8,
      failingMinutes: 4,
      degradedMinutes: 0,
      episodes: 2,
      missedEpisodes: 1,
      falseAlarms: 1,
      alerts: { failure: 1, degraded: 0, recovery: 1, reminder: 0, held: 3 },
      detectionDelay: { min: 120_175, median: 120_175, max: 120_175 },
      difference: { same: 0, moved: 0, added: 2, removed: 0 },
    }
    expect(body).toMatchObject({
      from: iso(now - 7 * day),
      to: iso(now),
      resultsFrom: iso(first),
      totals: figures,
    })
    expect(body.checks).toHaveLength(1)
    const [check] = body.checks
    expect(check).toMatchObject({ checkId, checkType: 'API', ...figures, reminders: [], truncated: false })
    expect(check.events.map(({ type, heldBy }: Record<string, string>) => heldBy ?? type)).toEqual([
      'threshold',
      'untold',
      'threshold',
      'ALERT_FAILURE_REMAIN',
      'ALERT_RECOVERY',
    ])
    expect(check.events[3]).toEqual({
      type: 'ALERT_FAILURE_REMAIN',
      kind: 'failure',
      heldBy: null,
      at: iso(first + 6 * minute + 175),
      scheduledAt: iso(first + 6 * minute),
      episodeAt: iso(first + 4 * minute),
      runLocation: 'eu-west-1',
      sentAt: null,
    })
  })

  it('200: the difference from the notifications that were sent', async () => {
    const alert = { account_id: api.alice.accountId, check_id: checkId }
    const told = (index: number) => ({ ...alert, at: first + index * minute })
    await insertAlert(api.store.db, told(2))
    await insertAlert(api.store.db, { ...told(3), kind: 'recovery', alert_type: 'ALERT_RECOVERY' })
    await insertAlert(api.store.db, told(4))
    await insertAlert(api.store.db, { ...told(5), kind: null, alert_type: 'NO_ALERT', held_by: 'threshold' })
    await insertAlert(api.store.db, { ...told(5), kind: 'ssl', alert_type: 'ALERT_SSL' })
    const { body } = await api.alice.post(path, {
      alertSettings: threshold(3),
      target: { checkId: [checkId] },
    })
    const [check] = body.checks
    expect(check.difference).toEqual({ same: 0, moved: 1, added: 1, removed: 2 })
    expect(check.removed.map(({ type, at }: Record<string, string>) => [type, at])).toEqual([
      ['ALERT_FAILURE', iso(first + 2 * minute)],
      ['ALERT_RECOVERY', iso(first + 3 * minute)],
    ])
    expect(check.events[3].sentAt).toBe(iso(first + 4 * minute))
  })

  it('200: no difference for the settings that were in effect', async () => {
    const alertSettings = { ...threshold(2), reminders: { amount: 1, interval: 5 } }
    const own = { alertSettings, useGlobalAlertSettings: false }
    const target = { checkId: [await createCheck(api.alice, own)] }
    const states = 'ppfpffpdffpp'
    for (const [index, state] of [...states].entries()) {
      const part = { hasFailures: state === 'f', isDegraded: state === 'd' }
      const scheduledAt = now - (30 - index) * minute
      const of = { accountId: api.alice.accountId, checkId: target.checkId[0] as string }
      await insertResults(api.store, [{ ...of, scheduledAt, ...part }], scheduledAt + 1_000)
    }
    const { body } = await api.alice.post(path, { alertSettings, target })
    expect(body.totals).toMatchObject({
      alerts: { failure: 2, degraded: 0, recovery: 2 },
      difference: { same: 4, moved: 0, added: 0, removed: 0 },
    })
  })

  it('200: only what is decided in the period, with what was going on before in mind', async () => {
    const { body } = await api.alice.post(path, {
      alertSettings: {},
      target: { checkId: [checkId] },
      from: iso(first + 5 * minute),
      to: iso(first + 7 * minute),
    })
    expect(body.checks[0]).toMatchObject({ runs: 2, events: [], episodes: 1, missedEpisodes: 0 })
    expect(body.resultsFrom).toBe(iso(first + 5 * minute))
  })

  it('200: an episode of rare runs is known from earlier runs, however long ago', async () => {
    const rare = await createCheck(api.alice)
    for (const days of [5, 4, 3, 2]) await record(api.alice, rare, days === 5 ? 'p' : 'f', days * 1440)
    const { body } = await api.alice.post(path, {
      alertSettings: {},
      target: { checkId: [rare] },
      from: iso(now - 3.5 * day),
    })
    expect(body.checks[0]).toMatchObject({ runs: 2, events: [], episodes: 1, failingMinutes: 3.5 * 1440 })
  })

  it('200: maintenance windows are silent', async () => {
    const tagged = await createCheck(api.alice, { tags: ['in maintenance'] })
    const begin = await record(api.alice, tagged, 'pfpfp', 10)
    const window = {
      name: 'Upgrade',
      startsAt: iso(begin),
      endsAt: iso(begin + 3 * minute),
      silenceAlertsTags: ['in maintenance'],
    }
    expect((await api.alice.post('/v1/maintenance-windows', window)).status).toBe(201)
    const { body } = await api.alice.post(path, { alertSettings: {}, target: { checkId: [tagged] } })
    const told = body.checks[0].events.map(({ type, heldBy }: Record<string, string>) => heldBy ?? type)
    expect(told).toEqual(['maintenance', 'untold', 'ALERT_FAILURE', 'ALERT_RECOVERY'])
  })

  it('200: attempts, cancelled runs and our own errors count for nothing', async () => {
    const target = { checkId: [await createCheck(api.alice)] }
    const of = { accountId: api.alice.accountId, checkId: target.checkId[0] as string, hasFailures: true }
    await insertResults(api.store, [
      { ...of, scheduledAt: now - 5 * minute, resultType: 'ATTEMPT' },
      { ...of, scheduledAt: now - 4 * minute, isCancelled: true },
      { ...of, scheduledAt: now - 3 * minute, hasErrors: true },
      { ...of, scheduledAt: now - 2 * minute, hasFailures: false },
    ])
    const { body } = await api.alice.post(path, { alertSettings: {}, target })
    expect(body.totals).toMatchObject({ runs: 1, results: 1, episodes: 0 })
    expect(body.checks[0].events).toEqual([])
  })

  it('200: checks by their tags and those of their groups, deactivated ones too', async () => {
    const group = (await api.alice.post('/v1/check-groups', { name: 'G', tags: ['backtest'] })).body
    const ids = [
      await createCheck(api.alice, { name: 'A', groupId: group.id }),
      await createCheck(api.alice, { name: 'B', tags: ['backtest'], activated: false }),
    ]
    await createCheck(api.alice, { name: 'C', tags: ['backtest', 'flaky'] })
    const target = { matchTags: [['backtest', '!flaky']] }
    const { body } = await api.alice.post(path, { alertSettings: {}, target })
    expect(body.checks.map(({ checkId: id }: { checkId: string }) => id)).toEqual(ids)
    expect(body).toMatchObject({ resultsFrom: null, totals: { runs: 0, detectionDelay: null } })
    const both = { ...target, checkId: [ids[1]] }
    const chosen = await api.alice.post(path, { alertSettings: {}, target: both })
    expect(chosen.body.checks.map(({ name }: { name: string }) => name)).toEqual(['B'])
  })

  it('200: nothing of the checks of another account', async () => {
    for (const target of [{ checkId: [checkId] }, { matchTags: [['backtest']] }]) {
      const { status, body } = await api.bob.post(path, { alertSettings: {}, target })
      expect([status, body.checks, body.totals.runs]).toEqual([200, [], 0])
    }
  })

  it('200: checks that use the settings of the account', async () => {
    const dora = await api.newAccount()
    const create = (name: string, part: object) => createCheck(dora, { name, ...part })
    const own = { alertSettings: {}, useGlobalAlertSettings: false }
    const group = async (part: object) =>
      (await dora.post('/v1/check-groups', { name: 'G', ...part })).body.id
    await create('follows', { useGlobalAlertSettings: true })
    await create('has its own', own)
    await create('in a group that follows', {
      ...own,
      groupId: await group({ useGlobalAlertSettings: true }),
    })
    await create('in a group with its own', {
      groupId: await group({ useGlobalAlertSettings: false, alertSettings: threshold(2) }),
    })
    const { body } = await dora.post(path, { alertSettings: {}, target: { usesAccountSettings: true } })
    expect(body.matchingChecks).toBe(2)
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual([
      'follows',
      'in a group that follows',
    ])
  })

  describe('more checks than can be looked at', () => {
    let carol: Caller
    beforeAll(async () => {
      carol = await api.newAccount()
      await api.store.pool.query(
        `insert into checks select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
           'account_id', $2::uuid, 'group_id', null, 'name', 'Copy ' || i))).*
         from checks c, generate_series(1, $3::int) i where c.id = $1`,
        [await createCheck(api.alice), carol.accountId, backtestLimits.checks + 1],
      )
    })

    it('400: chosen by tags', async () => {
      const { status, body } = await carol.post(path, { alertSettings: {}, target: { matchTags: [[]] } })
      expect([status, body.attributes.target]).toEqual([400, 'must choose at most 200 checks, but 201 match'])
    })

    it('200: of those that use the settings of the account, the ones with the most changes', async () => {
      const last = await api.store.pool.query(
        'select id from checks where account_id = $1 order by name desc limit 1',
        [carol.accountId],
      )
      const checkId = last.rows[0].id
      await insertAlert(api.store.db, { account_id: carol.accountId, check_id: checkId, at: now - minute })
      const { status, body } = await carol.post(path, {
        alertSettings: {},
        target: { usesAccountSettings: true },
      })
      expect([status, body.matchingChecks, body.checks.length]).toEqual([200, 201, 200])
      expect(body.checks[0].checkId).toBe(checkId)
    })
  })

  it.each<[string, object, string[]]>([
    ['no settings', { alertSettings: undefined }, ['alertSettings']],
    [
      'settings that are none',
      { alertSettings: threshold(6) },
      ['alertSettings.runBasedEscalation.failedRunThreshold'],
    ],
    ['no selection', { target: {} }, ['target']],
    ['an empty selection', { target: { checkId: [], matchTags: [] } }, ['target']],
    ['ids that are none', { target: { checkId: ['x'] } }, ['target.checkId.0']],
    ['dates that are none', { from: 'yesterday', to: '2026-02-30' }, ['from', 'to']],
    ['an end before the beginning', { from: '2026-11-14', to: '2026-11-13' }, ['from']],
    ['times to come', { from: '2026-11-16' }, ['from']],
    ['more than 90 days', { from: '2026-08-01' }, ['from']],
  ])('400: %s', async (_, part, wrong) => {
    const whole = { alertSettings: {}, target: { checkId: [checkId] }, ...part }
    const { status, body } = await api.alice.post(path, whole)
    expect([status, Object.keys(body.attributes)]).toEqual([400, wrong])
  })

  it('the end is now at the latest', async () => {
    const { body } = await api.alice.post(path, {
      alertSettings: {},
      target: { checkId: [checkId] },
      to: '2030-01-01',
    })
    expect(body.to).toBe(iso(now))
  })
})
