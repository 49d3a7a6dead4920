// Public pages: their size, the CPU of a cached and of an uncached request, and 1,000 visitors while PostgreSQL is stopped.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { createChecks, forEachIndex, post } from './api-calls.ts'
import { Closers } from './closers.ts'
import { load, median } from './load.ts'
import { cpuSeconds, postgresOf, startVedette } from './server-process.ts'

const goals = { bytes: 50_000, cachedMs: 0.33, uncachedMs: 25, firstPageMs: 2_500, recoveryMs: 30_000 }
const serviceCount = 50
const dayCount = 90
const incidentShare = 0.05
const checkCount = Number(process.env.BENCH_CHECKS ?? 10_000)
const visitedPages = 10
const uncachedPages = 160
const clientCount = 1_000
const stoppedMs = 75_000
const dayMs = 86_400_000
const gzip = { 'accept-encoding': 'gzip' }

const closers = new Closers()
const vedette = await startVedette({ LOG_LEVEL: 'silent' })
closers.add(() => vedette.stop())
const missed: string[] = []

try {
  await fill()
  await measureSize()
  await measureCached()
  await measureUncached()
  await measureOutage()
  console.log(missed.length === 0 ? 'all goals met' : `MISSED: ${missed.join(', ')}`)
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await closers.close()
}

function report(name: string, value: number, unit: string, goal: number): void {
  const isMet = value <= goal
  const text = `${value.toFixed(unit === 'ms' ? 2 : 0)} ${unit}`
  console.log(`${name.padEnd(58)} ${text.padStart(12)}  goal ${goal} — ${isMet ? 'met' : 'MISSED'}`)
  if (!isMet) missed.push(name)
}

async function fill(): Promise<void> {
  const incidents = Math.round(serviceCount * dayCount * incidentShare)
  console.log(`filling in ${checkCount} checks, ${serviceCount} services and ${incidents} incidents`)
  await createChecks(vedette, 'api', checkCount, (index) => ({
    // Nothing runs them here.
    activated: false,
    locations: ['eu-west-1'],
    request: { method: 'GET', url: `https://example.com/${index}` },
  }))
  const services: { id: string }[] = []
  for (let index = 0; index < serviceCount; index++)
    services.push(await post(vedette, '/v1/status-pages/services', { name: `Service ${index} of the shop` }))
  const now = Date.now()
  await forEachIndex(incidents, async (index) => {
    // Steps that share no factor with the counts spread the incidents over services and days.
    const began = now - (1 + ((index * 37) % (dayCount - 1))) * dayMs
    const service = services[(index * 7) % serviceCount]
    const { id } = await post<{ id: string }>(vedette, '/v1/status-pages/incidents', {
      name: `Incident ${index}: slow responses`,
      severity: ['MINOR', 'MEDIUM', 'MAJOR', 'CRITICAL'][index % 4],
      services: [service],
      incidentUpdates: [
        {
          description: `We are looking into slow responses of this service. Reference ${index * 7919}.`,
          status: 'INVESTIGATING',
          publicIncidentUpdateDate: new Date(began).toISOString(),
        },
      ],
    })
    await post(vedette, `/v1/status-pages/incidents/${id}/incident-updates`, {
      description: `A worn disk was replaced; response times are back to normal. Reference ${index * 7907}.`,
      status: 'RESOLVED',
      publicIncidentUpdateDate: new Date(began + (20 + (index % 100)) * 60_000).toISOString(),
    })
  })
  const cards = Array.from({ length: 5 }, (_, card) => ({
    name: `Part ${card}`,
    services: services.slice(card * 10, card * 10 + 10),
  }))
  for (let index = 0; index < visitedPages + uncachedPages; index++) {
    await post(vedette, '/v1/status-pages', {
      name: `Page ${index}`,
      url: `page-${index}`,
      customDomain: hasDomain(index) ? domainOf(index) : null,
      cards,
    })
  }
}

/** Half of the pages that are visited. */
function hasDomain(index: number): boolean {
  return index < visitedPages / 2
}

function domainOf(index: number): string {
  return `page-${index}.bench.example`
}

interface Answer {
  status: number
  body: Buffer
}

/** `agent`: keeps the connection. */
function get(path: string, sent: Record<string, string>, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(vedette.url + path, { headers: sent, ...(agent ? { agent } : {}) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
      .once('error', reject)
      .end()
  })
}

async function measureSize(): Promise<void> {
  const { body } = await get('/s/page-0', {})
  const packed = await get('/s/page-0', gzip)
  const best = await get('/s/page-0', { 'accept-encoding': 'br' })
  console.log(`status page: ${body.length} bytes of HTML, ${best.body.length} with Brotli`)
  report('status page, compressed with gzip', packed.body.length, 'bytes', goals.bytes)
  const others =
    body.toString().match(/<(?:script|img|iframe)[^>]+src=|rel="stylesheet"|@import|url\(/g) ?? []
  report('other requests of the page', others.length, '', 0)
}

/** CPU seconds of server and store, without what they do anyway: queues, schedules, probes. */
async function cpuOf(work: () => Promise<unknown>): Promise<{ server: number; store: number }> {
  const read = () => ({ server: cpuSeconds([vedette.pid]), store: cpuSeconds(postgresOf(vedette)) })
  const measure = async (part: () => Promise<unknown>) => {
    const [before, begin] = [read(), performance.now()]
    await part()
    const [after, seconds] = [read(), (performance.now() - begin) / 1000]
    return { server: after.server - before.server, store: after.store - before.store, seconds }
  }
  const idle = await measure(() => sleep(3_000))
  const busy = await measure(work)
  const share = busy.seconds / idle.seconds
  return { server: busy.server - idle.server * share, store: busy.store - idle.store * share }
}

async function measureCached(): Promise<void> {
  const [rounds, requests] = [7, 4000]
  const target = { url: `${vedette.url}/s/page-0`, headers: gzip }
  await load(target, { requests: 5000, concurrency: 8 })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { server } = await cpuOf(() => load(target, { requests, concurrency: 8 }))
    times.push((server / requests) * 1000)
  }
  report(`cached request, CPU of the server, median of ${rounds} rounds`, median(times), 'ms', goals.cachedMs)
}

/** Each page is opened once: read, rendered and compressed. */
async function measureUncached(): Promise<void> {
  const open = (index: number) => get(`/s/page-${visitedPages + index}`, gzip)
  // The code has to be compiled first.
  const warmUp = uncachedPages / 2
  for (let index = 0; index < warmUp; index++) await open(index)
  const cpu = await cpuOf(async () => {
    for (let index = warmUp; index < uncachedPages; index++) await open(index)
  })
  const perPage = (seconds: number) => (seconds / (uncachedPages - warmUp)) * 1000
  const [server, store] = [perPage(cpu.server), perPage(cpu.store)]
  console.log(`uncached request: ${server.toFixed(1)} ms server, ${store.toFixed(1)} ms PostgreSQL`)
  report('uncached request, CPU of server and store', server + store, 'ms', goals.uncachedMs)
}

async function measureOutage(): Promise<void> {
  await post(vedette, '/v1/status-pages', { name: 'Never seen', url: 'never-seen', cards: [] })
  const visits = Array.from({ length: visitedPages }, (_, index) =>
    hasDomain(index) ? { path: '/', host: domainOf(index) } : { path: `/s/page-${index}`, host: 'localhost' },
  )
  const visit = async ({ path, host }: { path: string; host: string }, agent?: Agent) => {
    const answer = await get(path, { ...gzip, host }, agent)
    if (answer.status !== 200) throw new Error(`${host}${path}: status ${answer.status}`)
    return answer
  }
  for (const each of visits) await visit(each)
  const stopped = postgresOf(vedette)
  const resume = () => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
  }
  closers.add(resume)
  // Children first: a running postmaster would notice.
  for (const pid of stopped.toReversed()) process.kill(pid, 'SIGSTOP')
  const stoppedAt = performance.now()
  const latencies: number[] = []
  const errors: string[] = []
  let withAge = 0
  let ended = 0
  const client = async (index: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await sleep(index)
    while (performance.now() - stoppedAt < stoppedMs) {
      const begin = performance.now()
      try {
        const { body } = await visit(visits[index % visits.length] as { path: string; host: string }, agent)
        latencies.push(performance.now() - begin)
        if (performance.now() - stoppedAt > 70_000) {
          ended += 1
          if (gunzipSync(body).includes('This page shows the state')) withAge += 1
        }
      } catch (error) {
        errors.push(String(error))
      }
      await sleep(1000)
    }
    agent.destroy()
  }
  const clients = Array.from({ length: clientCount }, (_, index) => client(index))
  try {
    await sleep(10_000)
    const begin = performance.now()
    const first = await get('/s/never-seen', {})
    const isReloading = first.status === 503 && first.body.includes('http-equiv="refresh"')
    report(
      'page never seen: time until a 503 that reloads itself',
      performance.now() - begin,
      'ms',
      goals.firstPageMs,
    )
    if (!isReloading) missed.push(`page never seen: status ${first.status}`)
    await Promise.all(clients)
  } finally {
    resume()
  }
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  console.log(
    `${clientCount} clients, PostgreSQL stopped for ${stoppedMs / 1000} s: ${latencies.length} pages, ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.999999)} ms`,
  )
  report('errors', errors.length, '', 0)
  for (const error of new Set(errors.slice(0, 1000))) console.log(`  ${error}`)
  report('pages without their age after 70 s', ended - withAge, `of ${ended}`, 0)
  if (ended === 0) missed.push('no page after 70 s')
  const continuedAt = performance.now()
  let status = 0
  // A visitor's page reloads itself.
  while (status !== 200 && performance.now() - continuedAt < goals.recoveryMs) {
    await sleep(500)
    ;({ status } = await get('/s/never-seen', {}))
  }
  const recoveryMs = status === 200 ? performance.now() - continuedAt : Number.POSITIVE_INFINITY
  report('page never seen: time until it is there after the outage', recoveryMs, 'ms', goals.recoveryMs)
}
