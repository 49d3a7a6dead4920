// An account with its API key.
import {
  type AnyRoute,
  awaitCheckSession,
  type CallInput,
  CheckResult,
  type Client,
  ClientError,
  createClient,
  getCheckResult,
  getCheckStatus,
  listErrorGroupsOfCheck,
  type ResponseOf,
  triggerCheckSessions,
} from '@vedette/contracts'
import { type Installation, printedRequest, type Running } from './installation.ts'

type Ended = ResponseOf<typeof awaitCheckSession>
type Result = ResponseOf<typeof getCheckResult>

export class Account {
  readonly baseUrl: string
  readonly headers: Record<string, string>
  readonly #client: Client

  /** `headers`: of another account than the one that the server prints at its first start. */
  constructor(installation: Installation, running: Running, headers?: Record<string, string>) {
    this.baseUrl = `http://127.0.0.1:${installation.port}`
    this.headers = headers ?? printedRequest(running.output()).headers
    this.#client = createClient({
      baseUrl: this.baseUrl,
      apiKey: (this.headers.Authorization ?? '').replace('Bearer ', ''),
      accountId: this.id,
    })
  }

  get id(): string {
    return this.headers['x-service-account'] as string
  }

  call<R extends AnyRoute>(route: R, input?: CallInput<R>): Promise<ResponseOf<R>> {
    return this.#client.call(route, input)
  }

  /** A plain request, without the contracts. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const type: Record<string, string> = init.body ? { 'content-type': 'application/json' } : {}
    return fetch(this.baseUrl + path, { ...init, headers: { ...this.headers, ...type } })
  }

  /** Runs a check now in all its locations, and waits for the end. */
  async session(checkId: string): Promise<Ended> {
    const { sessions } = await this.call(triggerCheckSessions, { body: { target: { checkId: [checkId] } } })
    return this.awaitSession(sessions[0]?.checkSessionId as string)
  }

  async awaitSession(checkSessionId: string): Promise<Ended> {
    for (;;) {
      try {
        return await this.call(awaitCheckSession, { params: { checkSessionId } })
      } catch (error) {
        if (!(error instanceof ClientError) || error.status !== 408) throw error
      }
    }
  }

  /** Runs a check now; resolves to its result with all evidence. */
  async run(checkId: string): Promise<Result> {
    const { results } = await this.session(checkId)
    const final = results.find(({ resultType }) => resultType === 'FINAL')
    return this.result(checkId, final?.checkResultId as string)
  }

  async result(checkId: string, checkResultId: string): Promise<Result> {
    // Parsed: evidence that violates its contract fails the story.
    return CheckResult.parse(await this.call(getCheckResult, { params: { checkId, checkResultId } }))
  }

  /** The flags of its status in one word. */
  async state(checkId: string): Promise<'passing' | 'degraded' | 'failing' | 'error'> {
    const status = await this.call(getCheckStatus, { params: { checkId } })
    if (status.hasErrors) return 'error'
    return status.hasFailures ? 'failing' : status.isDegraded ? 'degraded' : 'passing'
  }

  async errorMessages(checkId: string): Promise<string[]> {
    const groups = await this.call(listErrorGroupsOfCheck, { params: { checkId } })
    return groups.map(({ rawErrorMessage }) => rawErrorMessage ?? '')
  }
}
