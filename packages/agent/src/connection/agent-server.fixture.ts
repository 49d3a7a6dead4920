// A server that speaks the agent protocol over real HTTP, holds every body to its contract, and can be broken on purpose.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  askForArtifacts,
  type BodyOf,
  claimJobs,
  type Job,
  type ReportedResult,
  reportError,
  reportLog,
  reportPresence,
  reportResults,
  type UpcomingCodeRun,
} from '@vedette/contracts'
import type { z } from 'zod'
import { apiCheckExample } from '../core/api-check.fixture.ts'

type PresenceBody = BodyOf<typeof reportPresence>
type ReportBody = BodyOf<typeof reportError>
type ClaimBody = BodyOf<typeof claimJobs>

export class AgentServer {
  /** Handed out by the next claims, up to their capacity. */
  jobs: Job[] = []
  /** In every response to a claim; absent: as a server of an earlier release. */
  nextCode: UpcomingCodeRun[] | undefined
  readonly claims: ClaimBody[] = []
  readonly presences: PresenceBody[] = []
  readonly reports: ReportBody[] = []
  readonly logs: BodyOf<typeof reportLog>[] = []
  /** Every delivery, doubles included. */
  readonly results: ReportedResult[] = []
  /** Files by their hash; what is here is not wanted again. */
  readonly artifacts = new Map<string, Buffer>()
  /** Leases that files came with. */
  readonly uploadTokens: string[] = []
  bundle: Buffer | null = null
  readonly problems: string[] = []
  cancelled: string[] = []
  timeShiftMs = 0
  key = 'pl_test'
  /** The status of these calls; 0: never responds; null: closes the connection. */
  failWith: { calls: string[]; status: number | null } | null = null
  /** Asked about each result; false: refused. */
  accepts: (result: ReportedResult) => boolean = () => true
  /** A report with such a result gets no response and isn't stored. */
  neverResponds: (result: ReportedResult) => boolean = () => false
  readonly #server: Server
  #waiting: (() => void)[] = []

  constructor() {
    this.#server = createServer((request, response) => this.#handle(request, response))
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return this.url
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** As a killed process does: connections are gone, the port refuses. */
  async kill(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  give(...jobs: Job[]): void {
    this.jobs.push(...jobs)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace('/agent/v1/', '')
    const call = request.method === 'PUT' ? 'upload' : path
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The agent hung up while it was sending.
      return
    }
    if (request.headers.authorization !== `Bearer ${this.key}`) return this.#reply(response, 401, {})
    if (this.failWith?.calls.includes(call)) {
      if (this.failWith.status === null) return void request.socket.destroy()
      if (this.failWith.status === 0) return
      return this.#reply(response, this.failWith.status, { message: 'broken on purpose' })
    }
    if (call === 'upload') return this.#upload(path, request, Buffer.concat(chunks), response)
    if (call === 'code-bundle') return this.#bundle(response)
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (call === 'claim') return this.#claim(body, response)
    if (call === 'presence') {
      this.presences.push(this.#checked(reportPresence.body, body))
      const answer = { cancelled: this.cancelled, minAgentVersion: '0.1.0' }
      return this.#reply(response, 200, answer, reportPresence.response)
    }
    if (call === 'results') return this.#results(body, response)
    if (call === 'artifacts/wanted') {
      const { sha256 } = this.#checked(askForArtifacts.body, body)
      const wanted = sha256.filter((hash) => !this.artifacts.has(hash))
      return this.#reply(response, 200, { wanted }, askForArtifacts.response)
    }
    if (call === 'logs') {
      this.logs.push(this.#checked(reportLog.body, body))
      return this.#reply(response, 200, { isWanted: true }, reportLog.response)
    }
    if (call === 'reports') {
      this.reports.push(this.#checked(reportError.body, body))
      return this.#reply(response, 200, {}, reportError.response)
    }
    this.problems.push(`there is no ${request.method} ${request.url}`)
    this.#reply(response, 404, {})
  }

  #upload(path: string, { headers }: IncomingMessage, bytes: Buffer, response: ServerResponse): void {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (path !== `artifacts/${sha256}` || Number(headers['content-length']) !== bytes.length) {
      this.problems.push(`${path} came with other bytes`)
    }
    this.artifacts.set(sha256, bytes)
    this.uploadTokens.push(String(headers['x-run-token']))
    this.#reply(response, 200, { sizeBytes: bytes.length })
  }

  #bundle(response: ServerResponse): void {
    if (this.bundle) response.writeHead(200, { 'content-length': this.bundle.length }).end(this.bundle)
    else this.#reply(response, 404, { message: 'there is no such bundle' })
  }

  async #claim(given: unknown, response: ServerResponse): Promise<void> {
    const body = this.#checked(claimJobs.body, given)
    this.claims.push(body)
    if (this.jobs.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        setTimeout(resolve, body.waitSeconds * 1000).unref()
      })
    }
    if (response.socket?.destroyed !== false) return
    const jobs = this.jobs.splice(0, body.freeNetwork)
    const { nextCode } = this
    this.#reply(response, 200, { jobs, ...(nextCode && { nextCode }) }, claimJobs.response)
  }

  #results(given: unknown, response: ServerResponse): void {
    const parsed = reportResults.body?.safeParse(given)
    if (!parsed?.success) {
      this.#reply(response, 400, { message: 'not a report' })
      return
    }
    if (parsed.data.results.some(this.neverResponds)) return
    this.results.push(...parsed.data.results)
    const answers = parsed.data.results.map((result) =>
      this.accepts(result) ? { accepted: true } : { accepted: false, reason: 'unknown lease' },
    )
    this.#reply(response, 200, { answers }, reportResults.response)
  }

  #checked<T>(schema: z.ZodType<T> | undefined, body: unknown): T {
    const parsed = schema?.safeParse(body)
    if (!parsed?.success) this.problems.push(String(parsed?.error))
    return (parsed?.data ?? body) as T
  }

  #reply(response: ServerResponse, status: number, body: object, schema?: z.ZodType): void {
    const answer = { serverTime: Date.now() + this.timeShiftMs, ...body }
    const wrong = schema?.safeParse(answer).error
    if (wrong) this.problems.push(String(wrong).slice(0, 2_000))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}

let made = 0

/** A job of an API check that asks this address. */
export function jobExample(url: string, changes: Partial<Job> = {}): Job {
  made += 1
  const runId = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`
  return {
    token: `lease-${process.pid}-${made}`,
    runId,
    attempt: 1,
    resultId: runId,
    checkId: '00000000-0000-4000-8000-000000000001',
    checkType: 'API',
    scheduledAt: Date.now(),
    location: 'eu-west-1',
    check: { ...apiCheckExample({ url }) },
    variables: {},
    secrets: [],
    groupBaseUrl: null,
    environmentUrl: null,
    proxyUrl: null,
    clientCertificates: [],
    setup: [],
    teardown: [],
    snippets: [],
    runtimeId: null,
    source: 'schedule',
    accountId: '00000000-0000-4000-8000-000000000002',
    refreshCache: false,
    agenticScript: null,
    ...changes,
  }
}

/** Until it holds; tests wait for what real processes do, never for a time. */
export async function until(holds: () => boolean, what: string, limitMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + limitMs
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
