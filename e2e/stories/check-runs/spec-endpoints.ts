import { createApiCheck } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'

type Kind = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array'

/** The kind of each field in the specification; `?` if null is allowed too. */
type Fields = Record<string, Kind | `${Kind}?`>

// spec §2.8
const checkSession: Fields = {
  checkSessionId: 'string',
  checkSessionLink: 'string',
  checkId: 'string',
  checkType: 'string',
  status: 'string',
  startedAt: 'date',
  stoppedAt: 'date?',
  timeElapsed: 'number',
  runLocations: 'array',
  name: 'string',
  runSource: 'string',
}

// spec §2.9
const checkAlert: Fields = {
  name: 'string',
  id: 'string',
  checkId: 'string',
  alertType: 'string',
  checkType: 'string',
  runLocation: 'string',
  responseTime: 'number',
  error: 'string?',
  statusCode: 'string?',
  created_at: 'date',
  startedAt: 'date',
}

// spec §2.10
const checkStatus: Fields = {
  name: 'string',
  checkId: 'string',
  hasFailures: 'boolean',
  hasErrors: 'boolean',
  isDegraded: 'boolean',
  longestRun: 'number?',
  shortestRun: 'number?',
  lastRunLocation: 'string?',
  lastCheckRunId: 'string?',
  sslDaysRemaining: 'number?',
  created_at: 'date',
  updated_at: 'date?',
}

// spec §2.11
const errorGroup: Fields = {
  id: 'string',
  checkId: 'string',
  errorHash: 'string',
  rawErrorMessage: 'string?',
  cleanedErrorMessage: 'string',
  firstSeen: 'date',
  lastSeen: 'date',
  archivedUntilNextEvent: 'boolean',
}

// spec §2.12
const report: Fields = {
  checkId: 'string',
  name: 'string',
  checkType: 'string',
  activated: 'boolean',
  muted: 'boolean',
  frequency: 'number',
  from: 'date',
  to: 'date',
  tags: 'array',
  series: 'array',
  pagination: 'object',
  metadata: 'object',
}

// spec §4.3
const timed = ['responseTime', 'wait', 'dns', 'tcp', 'firstByte', 'download']
const suffixes = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum']
const metrics = [
  ...timed,
  'availability',
  'retries',
  ...timed.flatMap((name) => suffixes.map((suffix) => `${name}_${suffix}`)),
]

export function specEndpoints(scene: Scene): void {
  let site: Site
  let checkId: string
  const name = 'As specified'

  beforeAll(async () => {
    site = await Site.open()
    site.on('/', {}, { status: 500, delayMs: 20 })
    const check = await scene.account.call(createApiCheck, {
      body: {
        name,
        tags: ['specified'],
        ...onDemandOnly,
        locations: ['eu-west-1'],
        doubleCheck: false,
        request: { method: 'GET', url: site.url('/') },
      },
    })
    checkId = check.id
    await scene.account.run(checkId)
    await scene.account.run(checkId)
  })
  afterAll(() => site.shut())

  async function get(path: string): Promise<unknown> {
    const response = await scene.account.fetch(path)
    expect([path, response.status]).toEqual([path, 200])
    return response.json()
  }

  it('3: GET /v1/analytics/api-checks/{id}', async () => {
    const path = `/v1/analytics/api-checks/${checkId}`
    const whole = await get(`${path}?metrics=${metrics.join(',')}`)
    expectFields(whole, report)
    expect(whole).toMatchObject({
      checkId,
      name,
      checkType: 'API',
      activated: true,
      muted: false,
      frequency: 1440,
      tags: ['specified'],
      pagination: { page: 1, limit: 10 },
    })
    const { metadata } = whole as { metadata: Record<string, { label: string }> }
    expect(Object.keys(metadata).sort()).toEqual([...metrics].sort())
    for (const metric of metrics) expect(typeof metadata[metric]?.label, metric).toBe('string')

    const { series } = (await get(`${path}?metrics=availability,responseTime_max`)) as {
      series: { data: Record<string, number>[] }[]
    }
    expect(series).toHaveLength(1)
    expect(series[0]?.data[0]).toMatchObject({ availability: 50, responseTime_max: expect.any(Number) })

    const [from, to] = [Math.floor(Date.now() / 1000) - 7_200, Math.floor(Date.now() / 1000) + 60]
    const window = (await get(
      `${path}?metrics=responseTime_avg&from=${from}&to=${to}&quickRange=lastMonth&aggregationInterval=60&filterByStatus=success&groupBy=runLocation&limit=1&page=1`,
    )) as { from: string; to: string; series: { runLocation: string }[]; pagination: object }
    expect([Date.parse(window.from), Date.parse(window.to)]).toEqual([from * 1000, to * 1000])
    expect(window.series).toMatchObject([{ runLocation: 'eu-west-1' }])
    expect(window.pagination).toEqual({ page: 1, limit: 1 })
    const codes = (await get(`${path}?metrics=responseTime_avg&groupBy=statusCode`)) as {
      series: { statusCode: number }[]
    }
    expect(codes.series.map(({ statusCode }) => statusCode).sort()).toEqual([200, 500])
    for (const range of [
      'last24Hours',
      'last7Days',
      'last30Days',
      'thisWeek',
      'thisMonth',
      'lastWeek',
      'lastMonth',
    ])
      expectFields(await get(`${path}?metrics=availability&quickRange=${range}`), report)
    for (const wrong of [
      '',
      '?metrics=speed',
      '?metrics=tcp&aggregationInterval=0',
      '?metrics=tcp&quickRange=ever',
    ])
      await expectRefused(`${path}${wrong}`, 400)
  })

  it('9: POST /v1/check-sessions/trigger', async () => {
    const body = JSON.stringify({ target: { checkId: [checkId] }, refreshCache: false })
    const response = await scene.account.fetch('/v1/check-sessions/trigger', { method: 'POST', body })
    expect(response.status).toBe(200)
    const { sessions } = (await response.json()) as { sessions: Record<string, unknown>[] }
    expect(sessions).toHaveLength(1)
    expectFields(sessions[0], checkSession)
    expect(sessions[0]).toMatchObject({ checkId, checkType: 'API', name, runLocations: ['eu-west-1'] })
    expect(URL.canParse(sessions[0]?.checkSessionLink as string)).toBe(true)
    const ended = await scene.account.awaitSession(sessions[0]?.checkSessionId as string)
    expect(ended).toMatchObject({ status: 'FAILED', runSource: 'TRIGGER_API' })
  })

  it('10: GET /v1/check-alerts/{checkId}', async () => {
    const alerts = (await get(`/v1/check-alerts/${checkId}`)) as object[]
    expect(alerts.length).toBeGreaterThan(0)
    for (const alert of alerts) expectFields(alert, checkAlert)
    expect(alerts[0]).toMatchObject({
      name,
      checkId,
      alertType: 'ALERT_FAILURE',
      checkType: 'API',
      runLocation: 'eu-west-1',
    })
    const seconds = (instant: number) => Math.floor(instant / 1000)
    const window = (from: number, to: number) => `from=${seconds(from)}&to=${seconds(to)}&limit=100&page=1`
    const now = Date.now()
    expect(await get(`/v1/check-alerts/${checkId}?${window(now - 3_600_000, now + 60_000)}`)).toEqual(alerts)
    expect(await get(`/v1/check-alerts/${checkId}?${window(now - 7_200_000, now - 3_600_000)}`)).toEqual([])
    await expectRefused(`/v1/check-alerts/${checkId}?limit=101`, 400)
    await expectRefused(`/v1/check-alerts/${checkId}?${window(now - 6 * 3_600_000 - 1000, now)}`, 400)
    await expectRefused('/v1/check-alerts/00000000-0000-4000-8000-000000000000', 404)
  })

  it('12: GET /v1/check-statuses', async () => {
    const statuses = (await get('/v1/check-statuses')) as ({ checkId: string } | null)[]
    const own = statuses.find((status) => status?.checkId === checkId)
    expectFields(own, checkStatus)
    expect(own).toMatchObject({
      name,
      hasFailures: true,
      hasErrors: false,
      isDegraded: false,
      lastRunLocation: 'eu-west-1',
      sslDaysRemaining: null,
      longestRun: expect.any(Number),
      shortestRun: expect.any(Number),
      lastCheckRunId: expect.any(String),
    })
    for (const status of statuses) if (status !== null) expectFields(status, checkStatus)
  })

  it('20: GET /v1/error-groups/checks/{checkId}', async () => {
    const groups = (await get(`/v1/error-groups/checks/${checkId}?limit=10&page=1`)) as object[]
    expect(groups).toHaveLength(1)
    expectFields(groups[0], errorGroup)
    expect(groups[0]).toMatchObject({ checkId, archivedUntilNextEvent: false })
    expect(await get(`/v1/error-groups/checks/${checkId}?page=2`)).toEqual([])
    await expectRefused(`/v1/error-groups/checks/${checkId}?limit=0`, 400)
  })

  it('4.21: the health of the agent', async () => {
    const port = scene.running.errors().match(/"healthPort":(\d+)/)?.[1]
    for (const path of ['/-/readiness', '/-/liveness', '/health']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      expect([path, response.status]).toEqual([path, 200])
    }
  })

  it('5 and 7: a key is required, and an error explains what is wrong', async () => {
    for (const path of [`/v1/analytics/api-checks/${checkId}?metrics=tcp`, '/v1/check-statuses'])
      expect((await fetch(scene.account.baseUrl + path)).status).toBe(401)
    expect(
      (await fetch(`${scene.account.baseUrl}/v1/check-sessions/trigger`, { method: 'POST' })).status,
    ).toBe(401)
  })

  it('prints its usual output only', () => {
    const lines = scene.running
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('>'))
    expect(lines).toEqual([
      'Vedette is ready.',
      expect.stringMatching(/^ {2}Set it up here, within 24 hours: http:\/\/localhost:\d+\/setup#[\w-]{43}$/),
      expect.stringMatching(/^ {2}Address {8}http:\/\/localhost:\d+$/),
      expect.stringMatching(/^ {2}API reference {2}http:\/\/localhost:\d+\/docs$/),
      expect.stringMatching(/^ {2}API key {8}vu_[0-9a-f]{32}$/),
      expect.stringMatching(/^ {2}Account id {5}[0-9a-f-]{36}$/),
      '  Owner          owner@localhost.local',
      '  Store the key: it is shown only once.',
      expect.stringContaining('npx vedette users set-email owner@localhost.local you@example.com'),
      'Try it:',
      expect.stringMatching(/^ {2}curl -H '.*' -H '.*' http:\/\/localhost:\d+\/v1\/accounts\/me$/),
    ])
  })

  async function expectRefused(path: string, status: number): Promise<void> {
    const response = await scene.account.fetch(path)
    expect([path, response.status]).toEqual([path, status])
    expectFields(await response.json(), { message: 'string', attributes: 'object' })
  }
}

/** Every field exists and has its kind. */
function expectFields(value: unknown, fields: Fields): void {
  const found = value as Record<string, unknown>
  for (const [field, kind] of Object.entries(fields)) {
    expect(found, `${field} is missing`).toHaveProperty([field])
    const isAllowedNull = kind.endsWith('?') && found[field] === null
    if (!isAllowedNull) expect([field, kindOf(found[field], kind)]).toEqual([field, kind.replace('?', '')])
  }
}

function kindOf(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return 'array'
  const isDate = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)
  if (wanted.startsWith('date') && isDate) return 'date'
  return value === null ? 'null' : typeof value
}
