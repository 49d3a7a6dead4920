// Simulates an agent of a private location: it claims runs and reports results, each with 2 kB of
// detail, in batches over HTTP. Measures the cost for the server and PostgreSQL.
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { maxResultsPerReport } from '@vedette/contracts'
import { createChecks, post } from './api-calls.ts'
import { cpuSeconds, postgresOf, type Vedette } from './server-process.ts'

const connections = 3
const batch = Math.min(250, maxResultsPerReport)

/** A private location with the key of its agent. */
export interface PrivateLocation {
  vedette: Vedette
  id: string
  key: string
}

export interface Run {
  /** The lease token. */
  token: string
  scheduledAt: number
  isFailed: boolean
  ms: number
}

export async function createLocation(vedette: Vedette): Promise<PrivateLocation> {
  const location = { name: 'Bench', slugName: 'bench' }
  const made = await post<{ id: string; keys: { rawKey: string }[] }>(
    vedette,
    '/v1/private-locations',
    location,
  )
  return { vedette, id: made.id, key: made.keys[0]?.rawKey ?? '' }
}

export function createReportedChecks({ vedette }: PrivateLocation, count: number): Promise<string[]> {
  return createChecks(vedette, 'url', count, () => ({
    privateLocations: ['bench'],
    // Its scheduled slots must not be part of the measurement.
    frequency: 1440,
    // Alerts with the first failed run.
    doubleCheck: false,
    retryStrategy: null,
    request: { method: 'GET', url: 'http://127.0.0.1/' },
  }))
}

/** Claims all runs that are due. */
export async function claimAll({
  vedette,
  key,
}: PrivateLocation): Promise<{ token: string; scheduledAt: number }[]> {
  const agentId = randomUUID()
  const claimed: { token: string; scheduledAt: number }[] = []
  for (;;) {
    const response = await fetch(`${vedette.url}/agent/v1/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        agentId,
        version: '0.0.0',
        checkTypes: ['API', 'URL', 'TCP', 'DNS', 'ICMP'],
        freeNetwork: 10_000,
        freeCode: 0,
        waitSeconds: 0,
      }),
    })
    if (!response.ok) throw new Error(`the claim got status ${response.status}: ${await response.text()}`)
    const { jobs } = (await response.json()) as { jobs: { token: string; scheduledAt: number }[] }
    if (jobs.length === 0) return claimed
    claimed.push(...jobs.map(({ token, scheduledAt }) => ({ token, scheduledAt })))
  }
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

function resultOf({ token, scheduledAt, isFailed, ms }: Run) {
  return {
    token,
    startedAt: scheduledAt + 15,
    durationMs: ms,
    responseTimeMs: ms,
    outcome: isFailed ? 'failed' : 'passed',
    overMaxResponseTime: false,
    failure: isFailed
      ? { kind: 'status', message: 'Expected a status code below 400, but it was 500.', phase: 'judge' }
      : null,
    statusCode: isFailed ? 500 : 200,
    metrics: [ms, 0.1, 1, 2, ms - 5, 1.9],
    sslDaysRemaining: null,
    detail,
  }
}

/** Prepared before the measurement, to keep the load generator cheap. */
function bodies(runs: readonly Run[]): Buffer[] {
  const made: Buffer[] = []
  for (let first = 0; first < runs.length; first += batch) {
    const results = runs.slice(first, first + batch).map(resultOf)
    made.push(Buffer.from(JSON.stringify({ agentId: randomUUID(), results })))
  }
  return made
}

function send(agent: Agent, location: PrivateLocation, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${location.vedette.url}/agent/v1/results`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${location.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      if (response.statusCode !== 200) return reject(new Error(`${response.statusCode}: ${text}`))
      const { answers } = JSON.parse(text) as { answers: { accepted: boolean; reason?: string }[] }
      const refused = answers.find(({ accepted }) => !accepted)
      if (refused !== undefined) return reject(new Error(refused.reason))
      resolve(answers.length)
    })
    sent.end(body)
  })
}

export interface Reported {
  perSecond: number
  serverMicros: number
  storeMicros: number
  /** When the first report was sent. */
  beganAt: number
}

/** Reports all runs over a few concurrent connections. */
export async function report(location: PrivateLocation, runs: readonly Run[]): Promise<Reported> {
  const { vedette } = location
  const queue = bodies(runs)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const [serverBefore, storeBefore] = [cpuSeconds([vedette.pid]), cpuSeconds(postgresOf(vedette))]
  const beganAt = Date.now()
  const begin = performance.now()
  let accepted = 0
  const worker = async () => {
    for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
      const more = await send(agent, location, body)
      accepted += more
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - begin) / 1000
  agent.destroy()
  if (accepted !== runs.length) throw new Error(`only ${accepted} of ${runs.length} results were accepted`)
  const micros = (after: number, before: number) => ((after - before) / runs.length) * 1e6
  return {
    perSecond: runs.length / seconds,
    serverMicros: micros(cpuSeconds([vedette.pid]), serverBefore),
    storeMicros: micros(cpuSeconds(postgresOf(vedette)), storeBefore),
    beganAt,
  }
}

export function printRates(name: string, { perSecond, serverMicros, storeMicros }: Reported): void {
  console.log(
    `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)} results/s   server ${serverMicros.toFixed(0)} µs, PostgreSQL ${storeMicros.toFixed(0)} µs of CPU each`,
  )
}
