// Results recorded per second, over HTTP, as agents report them: the result, 2 kB of detail, the mark for its rollup,
// error groups, status. Fresh data folder, no manual ANALYZE, server, PostgreSQL and load on the same two cores.
// Once in an open hour, as it is day by day, and once in an hour that is closed, so that it is folded meanwhile.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { maxResultsPerReport } from '@vedette/contracts'
import { cpuSeconds, postgresOf, startVedette } from './server-process.ts'

const secretKey = 'a secret key of this bench only'
const perRound = 30_000
const connections = 3
const batch = Math.min(250, maxResultsPerReport)
const hourMs = 3_600_000

const vedette = await startVedette({ SECRET_KEY: secretKey, AGENT: 'off' })
const signingKey = Buffer.from(hkdfSync('sha256', secretKey, 'vedette', 'signatures', 32))
const headers = { authorization: `Bearer ${vedette.key}`, 'x-service-account': vedette.accountId }

interface Place {
  id: string
  key: string
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const answer = await fetch(vedette.url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

async function createChecks(count: number): Promise<string[]> {
  const ids: string[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const index = next++
      const { id } = await post<{ id: string }>('/v1/checks/url?autoAssignAlerts=false', {
        name: `Check ${index}`,
        privateLocations: ['bench'],
        // Its own slots must not come into the measurement.
        frequency: 1440,
        request: { method: 'GET', url: 'http://127.0.0.1/' },
      })
      ids.push(id)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return ids
}

/** What the server would have signed when it handed the run out. */
function token(place: Place, checkId: string, scheduledAt: number): string {
  const lease = {
    laneId: 0,
    leaseId: randomUUID(),
    accountId: vedette.accountId,
    checkId,
    checkType: 'URL',
    runId: randomUUID(),
    attempt: 1,
    scheduledAt,
    location: 'bench',
    queue: place.id,
    source: 'schedule',
    checkSessionId: null,
    testSessionId: null,
    startedAt: scheduledAt,
    retry: null,
    doubleCheck: false,
    runParallel: false,
    parallel: null,
    locations: ['bench'],
  }
  const text = Buffer.from(JSON.stringify(lease)).toString('base64url')
  return `${text}.${createHmac('sha256', signingKey).update(text).digest('base64url')}`
}

const detail = JSON.stringify({
  failure: null,
  assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', property: '', actual: 200 }],
  observed: {
    request: { method: 'GET', url: 'http://127.0.0.1/', data: '', headers: { accept: '*/*' }, params: {} },
    response: {
      status: 200,
      statusText: 'OK',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(1_600),
    },
    requestError: null,
  },
})

function result(place: Place, checkId: string, scheduledAt: number, index: number) {
  const isFailed = index % 50 === 0
  const ms = 20 + (index % 97)
  return {
    token: token(place, checkId, scheduledAt),
    startedAt: scheduledAt + 15,
    durationMs: ms,
    responseTimeMs: ms,
    outcome: isFailed ? 'failed' : 'passed',
    overMaxResponseTime: false,
    failure: isFailed ? { kind: 'status', message: 'the response status was 500', phase: 'judge' } : null,
    statusCode: isFailed ? 500 : 200,
    metrics: [ms, 0.1, 1, 2, ms - 5, 1.9],
    sslDaysRemaining: null,
    detail,
  }
}

/** Made before the clock starts: the load should cost as little as it can. */
function bodies(place: Place, checkIds: string[], hourStart: number, span: number): Buffer[] {
  const made: Buffer[] = []
  for (let first = 0; first < perRound; first += batch) {
    const results = Array.from({ length: Math.min(batch, perRound - first) }, (_, offset) => {
      const index = first + offset
      const scheduledAt = hourStart + Math.floor((index / perRound) * span)
      return result(place, checkIds[index % checkIds.length] as string, scheduledAt, index)
    })
    made.push(Buffer.from(JSON.stringify({ agentId: randomUUID(), results })))
  }
  return made
}

function send(agent: Agent, place: Place, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${vedette.url}/agent/v1/results`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${place.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    sent.once('error', reject)
    sent.once('response', async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      if (answer.statusCode !== 200) return reject(new Error(`${answer.statusCode}: ${text}`))
      const { answers } = JSON.parse(text) as { answers: { accepted: boolean; reason?: string }[] }
      const refused = answers.find(({ accepted }) => !accepted)
      if (refused !== undefined) return reject(new Error(refused.reason))
      resolve(answers.filter(({ accepted }) => accepted).length)
    })
    sent.end(body)
  })
}

interface Measured {
  perSecond: number
  serverMicros: number
  storeMicros: number
}

async function measure(place: Place, checkIds: string[], hourStart: number, span: number): Promise<Measured> {
  const queue = bodies(place, checkIds, hourStart, span)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const [serverBefore, storeBefore] = [cpuSeconds([vedette.pid]), cpuSeconds(postgresOf(vedette))]
  const begin = performance.now()
  let accepted = 0
  const worker = async () => {
    for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
      const more = await send(agent, place, body)
      accepted += more
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - begin) / 1000
  agent.destroy()
  if (accepted !== perRound) throw new Error(`only ${accepted} of ${perRound} results were accepted`)
  const micros = (after: number, before: number) => ((after - before) / perRound) * 1e6
  return {
    perSecond: perRound / seconds,
    serverMicros: micros(cpuSeconds([vedette.pid]), serverBefore),
    storeMicros: micros(cpuSeconds(postgresOf(vedette)), storeBefore),
  }
}

function tell(name: string, { perSecond, serverMicros, storeMicros }: Measured): void {
  console.log(
    `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)} results/s   server ${serverMicros.toFixed(0)} µs, PostgreSQL ${storeMicros.toFixed(0)} µs of CPU each`,
  )
}

try {
  const made = await post<{ id: string; keys: { rawKey: string }[] }>('/v1/private-locations', {
    name: 'Bench',
    slugName: 'bench',
  })
  const place = { id: made.id, key: made.keys[0]?.rawKey ?? '' }
  console.log('making 10,000 checks')
  const many = await createChecks(Number(process.argv[2] ?? 10_000))
  const few = many.slice(0, 100)
  const openHour = Math.floor(Date.now() / hourMs) * hourMs
  const passed = Math.max(60_000, Date.now() - openHour)
  // Code compiled, plans made, pages in memory.
  await measure(place, few, openHour - 30 * hourMs, hourMs)
  const rates: Record<string, number[]> = { few: [], many: [] }
  for (let round = 0; round < 3; round++) {
    for (const [name, ids] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const measured = await measure(place, ids, openHour, passed)
      tell(`${ids.length.toLocaleString('en')} checks, open hour`, measured)
      rates[name]?.push(measured.perSecond)
    }
  }
  tell('10,000 checks, closed hour, folding', await measure(place, many, openHour - 5 * hourMs, hourMs))
  const median = (values: number[] = []) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const [fewRate, manyRate] = [median(rates.few), median(rates.many)]
  const ratio = Math.max(fewRate, manyRate) / Math.min(fewRate, manyRate)
  const isMet = Math.min(fewRate, manyRate) >= 5_000 && ratio <= 1.5
  console.log(
    `median ${fewRate.toFixed(0)}/s of 100 checks, ${manyRate.toFixed(0)}/s of 10,000: ${ratio.toFixed(2)}×`,
  )
  console.log(`goal: 5,000/s, within 1.5× — ${isMet ? 'met' : 'MISSED'}`)
  process.exitCode = isMet ? 0 : 1
} finally {
  await vedette.stop()
}
