import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureDays } from '../../storage/core/partitions.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { touchAgents } from '../../storage/runs/agents.ts'
import { insertNotification } from '../../testing/alerts.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertTestCheck } from '../../testing/targets.ts'

let now = Date.parse('2026-11-15T08:20:00.000Z')
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const tokens = '/v1/accounts/me/prometheus-tokens'
const metricsOf = ({ accountId }: Caller) => `/accounts/${accountId}/v2/prometheus/metrics`

/** Lines of one metric that contain all of these texts. */
const linesOf = (text: string, name: string, ...parts: string[]) =>
  text.split('\n').filter((line) => line.startsWith(name) && parts.every((part) => line.includes(part)))

async function read(caller: Caller, query = ''): Promise<string> {
  now += 60_001
  const response = await caller.get(`${metricsOf(caller)}${query}`)
  expect(response.status).toBe(200)
  return response.text
}

interface Run {
  scheduledAt: number
  location?: string
  resultType?: string
  hasFailures?: boolean
  isDegraded?: boolean
  metrics: (number | null)[]
}

async function insertRun(checkId: string, run: Run): Promise<void> {
  const at = new Date(run.scheduledAt)
  await inTransaction(api.store.pool, (client) => ensureDays(client, [run.scheduledAt]))
  await api.store.pool.query(
    `insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
       started_at, stopped_at, has_failures, has_errors, is_degraded, is_cancelled, over_max_response_time, metrics)
     values ($1, $2, $3, $4, 1, $4, 'URL', 'schedule', $5, $6, $3, $3, $7, false, $8, false, false, $9)`,
    [
      api.alice.accountId,
      checkId,
      at,
      randomUUID(),
      run.resultType ?? 'FINAL',
      run.location ?? 'eu-west-1',
      run.hasFailures ?? false,
      run.isDegraded ?? false,
      run.metrics,
    ],
  )
}

describe('Prometheus tokens', () => {
  it('201, 200, 204: are shown once, listed masked, and open nothing when revoked', async () => {
    const { status, body: token } = await api.alice.post(tokens)
    expect(status).toBe(201)
    expect(token.rawKey).toMatch(/^vm_[0-9a-f]{32}$/)
    const listed = await api.alice.get(tokens)
    expect(listed.text).not.toContain(token.rawKey)
    expect(listed.body).toContainEqual(expect.objectContaining({ id: token.id, maskedKey: token.maskedKey }))
    const bearer = { authorization: `Bearer ${token.rawKey}` }
    const ask = () => api.nobody.send('GET', metricsOf(api.alice), undefined, bearer)
    const response = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect((await api.alice.delete(`${tokens}/${token.id}`)).status).toBe(204)
    expect((await ask()).status).toBe(401)
    expect((await api.alice.delete(`${tokens}/${token.id}`)).status).toBe(404)
  })

  it('401, 404: open neither other routes nor other accounts', async () => {
    const { body: token } = await api.bob.post(tokens)
    const bearer = { authorization: `Bearer ${token.rawKey}` }
    expect((await api.nobody.send('GET', '/v1/checks', undefined, bearer)).status).toBe(401)
    expect((await api.nobody.send('GET', metricsOf(api.alice), undefined, bearer)).status).toBe(404)
    expect((await api.nobody.send('GET', metricsOf(api.bob), undefined, bearer)).status).toBe(200)
    expect((await api.alice.delete(`${tokens}/${token.id}`)).status).toBe(404)
  })
})

describe('GET /accounts/{accountId}/v2/prometheus/metrics', () => {
  it('200: status, results and timings of a check since the full hour', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', {
      locations: ['eu-west-1'],
      name: 'Shop "front"',
      request: { url: 'https://example.com' },
      tags: ['team:shop', 'prod', 'name:evil', '9:lives', '__x:y'],
    })
    const id = `check_id="${check.id}"`
    expect(linesOf(await read(api.alice), 'vedette_check_status', id)).toEqual([])
    await insertRun(check.id, { scheduledAt: now - 3_600_000, metrics: [100] })
    await insertRun(check.id, { scheduledAt: now - 60_000, metrics: [100, null, 20] })
    await insertRun(check.id, {
      scheduledAt: now - 50_000,
      metrics: [400],
      location: 'us-east-1',
      isDegraded: true,
    })
    await insertRun(check.id, { scheduledAt: now - 40_000, metrics: [99_000], hasFailures: true })
    await insertRun(check.id, {
      scheduledAt: now - 45_000,
      metrics: [1],
      hasFailures: true,
      resultType: 'ATTEMPT',
    })
    await api.store.pool.query(
      `insert into check_statuses (check_id, account_id, has_failures, has_errors, is_degraded, ssl_days_remaining, decided_at)
       values ($1, $2, true, false, false, 10, $3)`,
      [check.id, api.alice.accountId, new Date(now)],
    )
    const text = await read(api.alice)
    const labels = linesOf(text, 'vedette_check_status', id, 'status="failing"')
    expect(labels).toEqual([
      `vedette_check_status{name="Shop \\"front\\"",check_id="${check.id}",check_type="URL",muted="false",activated="true",group="",tags="9:lives,__x:y,name:evil,prod",team="shop",status="failing"} 1`,
    ])
    expect(linesOf(text, 'vedette_check_status', id, 'status="passing"')[0]).toMatch(/ 0$/)
    const total = (page: string, ...parts: string[]) =>
      linesOf(page, 'vedette_check_result_total', id, ...parts).map((line) => Number(line.split(' ').at(-1)))
    expect(total(text, 'status="passing"')).toEqual([1])
    expect(total(text, 'status="degraded"')).toEqual([1])
    expect(total(text, 'status="failing"')).toEqual([1])
    const timing = (suffix: string, ...parts: string[]) =>
      linesOf(text, `vedette_url_monitor_timing_seconds${suffix}`, id, ...parts).map((line) =>
        Number(line.split(' ').at(-1)),
      )
    const responseTime = 'phase="responseTime"'
    expect(timing('_bucket', responseTime)).toEqual([0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3])
    expect(timing('_count', responseTime)).toEqual([3])
    expect(timing('_sum', responseTime)[0]).toBeCloseTo(99.5)
    expect(timing('_count', 'phase="dns"')).toEqual([1])
    expect(timing('_count', 'phase="wait"')).toEqual([])
    expect(linesOf(text, 'vedette_time_to_ssl_expiry_seconds', id)[0]).toMatch(/ 864000$/)

    const attempts = await read(api.alice, '?includeRetryAttempts=true')
    expect(total(attempts, 'status="failing"')).toEqual([2])
    const located = await read(api.alice, '?locationLabelEnabled=true&disableTagParsing=true')
    expect(total(located, 'status="degraded"', 'location="us-east-1"')).toEqual([1])
    expect(linesOf(located, 'vedette_check_result_total', id)[0]).toContain('team:shop')
    expect(linesOf(located, 'vedette_check_result_total', id)[0]).not.toContain('team="')
    expect(await read(api.bob)).not.toContain(check.id)
  })

  it('200: is a minute old at most', async () => {
    const before = await read(api.alice)
    const { body: check } = await api.alice.post('/v1/checks/heartbeat', {
      name: 'Backup',
      heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes' },
    })
    await api.store.pool.query(
      `insert into heartbeats (check_id, account_id, period_ms, grace_ms, last_ping_at) values ($1, $2, 3600000, 0, $3)
       on conflict (check_id) do update set last_ping_at = excluded.last_ping_at`,
      [check.id, api.alice.accountId, new Date(now)],
    )
    const pingedAt = now / 1000
    expect((await api.alice.get(metricsOf(api.alice))).text).toBe(before)
    const text = await read(api.alice)
    const id = `check_id="${check.id}"`
    expect(linesOf(text, 'vedette_heartbeat_last_success_timestamp_seconds', id)[0]).toContain(` ${pingedAt}`)
    expect(linesOf(text, 'vedette_heartbeat_expected_interval_seconds', id)[0]).toMatch(/ 3600$/)
  })

  it('200: private locations with their queues and agents', async () => {
    const { body: location } = await api.alice.post('/v1/private-locations', {
      name: 'Office',
      slugName: 'office',
    })
    const id = `private_location_id="${location.id}"`
    now += 60_001
    await touchAgents(
      api.store.pool,
      [
        {
          id: randomUUID(),
          accountId: api.alice.accountId,
          privateLocationId: location.id,
          agentKeyId: null,
          locations: [],
          version: '1.0.0',
          state: 'running',
          facts: {},
          startedAtMs: now,
        },
      ],
      now,
    )
    const { text } = await api.alice.get(metricsOf(api.alice))
    expect(linesOf(text, 'vedette_private_location_agent_count', id)[0]).toMatch(/ 1$/)
    expect(linesOf(text, 'vedette_private_location_queue_size', id)[0]).toMatch(/ 0$/)
    expect(linesOf(text, 'vedette_private_location_check_runs', id)).toHaveLength(2)
    expect((await read(api.bob)).includes(location.id)).toBe(false)
  })

  it('429: fifty a minute, on plans other than self-hosted', async () => {
    const limited = await startTestApi({ RATE_LIMIT_FACTOR: '1' }, { now: () => now })
    try {
      const tenant = await limited.newAccount('team')
      const ask = async () => (await tenant.get(metricsOf(tenant))).status
      const statuses: number[] = []
      for (let turn = 0; turn < 50; turn++) statuses.push(await ask())
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(await ask()).toBe(429)
    } finally {
      await limited.close()
    }
  })
})

describe('GET /metrics', () => {
  it('200: counts what is still to be delivered, and nothing that is over', async () => {
    const { db } = api.store
    const { accountId } = api.alice
    const check = await insertTestCheck(db, accountId)
    const told = { account_id: accountId, check_id: check, alert_channel_id: 1, at: now }
    await insertNotification(db, told)
    for (const at of [now, now + 60_000]) await insertNotification(db, { ...told, due_at: new Date(at) })
    const { text } = await api.nobody.get('/metrics')
    expect(linesOf(text, 'vedette_notifications_waiting ')).toEqual(['vedette_notifications_waiting 2'])
    for (const name of ['alerts_decided', 'notifications', 'mails']) {
      expect(text).toContain(`# TYPE vedette_${name}_total counter`)
    }
  })

  it('200: shows the process, the database and the queues to this machine, and no account', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', {
      locations: ['eu-west-1'],
      name: 'Private matter',
      request: { url: 'https://example.com' },
    })
    const { body: location } = await api.alice.post('/v1/private-locations', {
      name: 'Cellar',
      slugName: 'cellar',
    })
    for (const [lane, queue] of [
      ['a', 'eu-west-1'],
      ['b', location.id],
      ['c', 'sa-east-1/code'],
    ]) {
      await api.store.pool.query(
        `insert into schedule (account_id, check_id, lane, locations, queues, slot_at, location, queue, due_at)
         values ($1, $2, $3, array[$4], array[$4], $5, 'x', $4, $5)`,
        [api.alice.accountId, check.id, lane, queue, new Date(now - 5000)],
      )
    }
    const { status, text, headers } = await api.nobody.get('/metrics')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('version=0.0.4')
    expect(linesOf(text, 'vedette_queue_waiting{region="private"}')).toHaveLength(1)
    expect(linesOf(text, 'vedette_queue_waiting{region="eu-west-1"}')).toHaveLength(1)
    expect(linesOf(text, 'vedette_queue_waiting{region="sa-east-1"}')).toEqual([
      'vedette_queue_waiting{region="sa-east-1"} 1',
    ])
    expect(Number(linesOf(text, 'process_resident_memory_bytes ')[0]?.split(' ')[1])).toBeGreaterThan(
      10_000_000,
    )
    expect(linesOf(text, 'vedette_store_up')).toEqual(['vedette_store_up 1'])
    expect(text).toContain('# TYPE vedette_runs_claimed_total counter')
    for (const secret of [check.id, location.id, 'Cellar', 'cellar', 'Private matter', api.alice.accountId]) {
      expect(text).not.toContain(secret)
    }
  })

  it('200: the capacity that each location needs, and the one that its agents have', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', {
      locations: ['ap-south-1', 'sa-east-1'],
      frequency: 1,
      name: 'Rotates',
      request: { url: 'https://example.com' },
    })
    const { body: steps } = await api.alice.post('/v1/checks/multistep', {
      locations: ['ap-south-1'],
      frequency: 5,
      name: 'Steps',
      script: 'console.log(1)',
    })
    for (const [checkId, seconds] of [
      [check.id, 3],
      [steps.id, 30],
    ]) {
      await insertRun(checkId, { scheduledAt: now - 60_000, metrics: [] })
      await api.store.pool.query(
        'update results set stopped_at = started_at + make_interval(secs => $2) where check_id = $1',
        [checkId, seconds],
      )
    }
    const agent = {
      accountId: null,
      privateLocationId: null,
      agentKeyId: null,
      locations: ['ap-south-1'],
      version: '1.0.0',
      state: 'running' as const,
      startedAtMs: now,
    }
    // Whatever an agent reports, the operator's metrics can be read.
    for (const slots of [{ network: 500, code: 4 }, { network: 'many', code: 1e30 }, null])
      await touchAgents(api.store.pool, [{ ...agent, id: randomUUID(), facts: { slots } }], now)
    now += 60_001
    await api.store.pool.query('update agents set last_seen_at = $1', [new Date(now)])
    const { text } = await api.nobody.get('/metrics')
    const figuresOf = (name: string, region: string, kind: string) =>
      linesOf(text, `${name}{region="${region}",kind="${kind}"} `).map((line) =>
        Number(line.split(' ').at(-1)),
      )
    expect(figuresOf('vedette_runs_due_per_minute', 'ap-south-1', 'network')).toEqual([0.5])
    expect(figuresOf('vedette_runs_due_per_minute', 'sa-east-1', 'network')).toEqual([0.5])
    expect(figuresOf('vedette_runs_due_per_minute', 'ap-south-1', 'code')).toEqual([0.2])
    expect(figuresOf('vedette_wanted_slots', 'ap-south-1', 'network')[0]).toBeCloseTo(0.025)
    expect(figuresOf('vedette_wanted_slots', 'ap-south-1', 'code')[0]).toBeCloseTo(0.1)
    expect(figuresOf('vedette_agent_slots', 'ap-south-1', 'network')).toEqual([500])
    expect(figuresOf('vedette_agent_slots', 'ap-south-1', 'code')).toEqual([10_004])
  })

  it('401: not through a proxy', async () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
      const { status } = await api.nobody.send('GET', '/metrics', undefined, { [header]: '127.0.0.1' })
      expect(status).toBe(401)
    }
  })

  it('401, 200: METRICS_TOKEN is required if it is set', async () => {
    const token = 'a token for the tests'.replaceAll(' ', '-')
    const guarded = await startTestApi({ METRICS_TOKEN: token })
    try {
      expect((await guarded.nobody.get('/metrics')).status).toBe(401)
      expect((await guarded.alice.get('/metrics')).status).toBe(401)
      const bearer = { authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.1' }
      expect((await guarded.nobody.send('GET', '/metrics', undefined, bearer)).status).toBe(200)
    } finally {
      await guarded.close()
    }
  })
})
