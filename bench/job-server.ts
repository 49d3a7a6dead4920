// A server of the agent protocol without a store: it hands out jobs and accepts every result, so that the cost of an agent
// can be measured alone.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BodyOf, claimJobs, Job, ReportedResult } from '@vedette/contracts'

type ClaimBody = BodyOf<typeof claimJobs>

export interface JobServer {
  url: string
  /** Hands out this job with this concurrency until the time is up. Resolves when all results have arrived. */
  run(job: Job, options: { inFlight: number; ms: number }): Promise<ReportedResult[]>
  /** Hands out this job that many times at once. */
  runOnce(job: Job, count: number): Promise<ReportedResult[]>
  /** Hands out this job at fixed times. `lagsMs`: how long each waited for a free place of the agent. */
  runEvery(
    job: Job,
    options: { everyMs: number; count: number },
  ): Promise<{ results: ReportedResult[]; lagsMs: number[] }>
  /** Resolves at the first claim. */
  claimed: Promise<void>
  close(): Promise<void>
}

export async function startJobServer(): Promise<JobServer> {
  let current: { job: Job; inFlight: number; left: number } | null = null
  let outstanding = 0
  let results: ReportedResult[] = []
  /** Due times of jobs that wait for the agent. */
  let dueTimes: number[] = []
  let lagsMs: number[] = []
  let wake: (() => void)[] = []
  let onClaim = () => {}
  const claimed = new Promise<void>((resolve) => {
    onClaim = resolve
  })
  const changed = () => new Promise<void>((resolve) => wake.push(resolve))
  const change = () => {
    const sleepers = wake
    wake = []
    for (const awake of sleepers) awake()
  }

  function jobs(free: number): Job[] {
    if (current === null) return []
    const { job, inFlight, left } = current
    const count = Math.max(0, Math.min(free, inFlight - outstanding, left))
    outstanding += count
    current.left -= count
    return Array.from({ length: count }, () => {
      const runId = randomUUID()
      const dueAt = dueTimes.shift()
      if (dueAt !== undefined) lagsMs.push(performance.now() - dueAt)
      return { ...job, runId, resultId: runId, token: leaseLike(runId), scheduledAt: Date.now() }
    })
  }

  async function claim({ freeNetwork, freeCode, waitSeconds }: ClaimBody): Promise<object> {
    const free = () => (current !== null && isCode(current.job) ? freeCode : freeNetwork)
    onClaim()
    const giveUpAt = Date.now() + waitSeconds * 1000
    const timer = setTimeout(change, waitSeconds * 1000).unref()
    let given = jobs(free())
    while (given.length === 0 && Date.now() < giveUpAt) {
      await changed()
      given = jobs(free())
    }
    clearTimeout(timer)
    return { jobs: given }
  }

  function take(reported: ReportedResult[]): object {
    outstanding -= reported.length
    results.push(...reported)
    change()
    return { answers: reported.map(() => ({ accepted: true })) }
  }

  const replies: Record<string, (body: never) => object | Promise<object>> = {
    claim,
    results: (body: { results: ReportedResult[] }) => take(body.results),
    presence: () => ({ cancelled: [], minAgentVersion: '0.1.0' }),
    reports: () => ({}),
    'artifacts/wanted': (body: { sha256: string[] }) => ({ wanted: body.sha256 }),
  }
  const server = createServer(async (request, response) => {
    const call = (request.url ?? '').replace('/agent/v1/', '')
    const bytes = await bytesOf(request)
    // An artifact: accepted and discarded.
    const body = request.method === 'PUT' ? null : JSON.parse(bytes.toString('utf8'))
    reply(response, (await replies[call]?.(body as never)) ?? {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function begin(job: Job, inFlight: number, left: number): void {
    results = []
    current = { job, inFlight, left }
    change()
  }
  async function ended(): Promise<ReportedResult[]> {
    current = null
    while (outstanding > 0) await changed()
    return results
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claimed,
    async run(job, { inFlight, ms }) {
      begin(job, inFlight, Number.POSITIVE_INFINITY)
      await new Promise((resolve) => setTimeout(resolve, ms))
      return ended()
    },
    async runOnce(job, count) {
      begin(job, count, count)
      while (results.length < count) await changed()
      return ended()
    },
    async runEvery(job, { everyMs, count }) {
      dueTimes = []
      lagsMs = []
      begin(job, Number.POSITIVE_INFINITY, 0)
      const firstAt = performance.now()
      for (let index = 0; index < count; index++) {
        const dueAt = firstAt + index * everyMs
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
        dueTimes.push(dueAt)
        if (current) current.left += 1
        change()
      }
      while (results.length < count) await changed()
      return { results: await ended(), lagsMs }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A token with the length of a real one. */
const leaseLike = (runId: string) => `${runId}.${'lease'.repeat(160)}`

const isCode = ({ checkType }: Job) => checkType === 'BROWSER' || checkType === 'MULTI_STEP'

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function reply(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ serverTime: Date.now(), ...body }))
}
