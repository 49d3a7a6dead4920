// The agent's line to its servers: a call goes to the server that answered last, and on to the next when that one can't
// be reached or fails. Management traffic only; checks go through net/dial.ts and its rules.
import type { ServerClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { type Answers, type Call, filePaths, paths, runTokenHeader } from './protocol.ts'
import {
  agentsFor,
  type CallLimit,
  type Exchange,
  exchange,
  type FileBody,
  type ProxySettings,
  readAnswer,
  readInto,
  ServerError,
  type TransferLimit,
} from './server-exchange.ts'

export interface ServerClientOptions {
  servers: readonly string[]
  apiKey: string
  version: string
  proxies?: ProxySettings
}

export interface ServerClient {
  /** `body` is JSON text. Throws a ServerError when no server took it. */
  call<C extends Call>(call: C, body: string, options: CallLimit): Promise<Answers[C]>
  /** A file that the run of this lease left. */
  uploadArtifact(token: string, sha256: string, file: FileBody, options: TransferLimit): Promise<void>
  /** The suite that the run of this lease is made of. */
  downloadBundle(token: string, toPath: string, options: TransferLimit): Promise<void>
  /** When a server last answered as it should, by the server's clock. */
  readonly lastContactAt: number | null
  readonly isReachable: boolean
  /** Resolves with the first response or failure that isn't a refusal of the key. */
  readonly started: Promise<void>
  readonly serverCount: number
  close(): void
}

export function createServerClient(
  { servers, apiKey, version, proxies = {} }: ServerClientOptions,
  clock: ServerClock,
  log: Log,
): ServerClient {
  const agents = agentsFor(proxies)
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'user-agent': `vedette-agent/${version}`,
  }
  let current = 0
  let lastContactAt: number | null = null
  let isReachable = true
  let refusedAt: number | null = null
  const { promise: started, resolve: start } = Promise.withResolvers<void>()

  async function ask(server: string, call: Call, body: string, options: CallLimit): Promise<unknown> {
    const url = new URL(`${server}${paths[call]}`)
    const sentAt = clock.monotonic()
    const answer = await exchange(url, agents, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(body),
      limit: options,
      read: readAnswer,
    })
    clock.sample(sentAt, clock.monotonic(), answer.serverTime)
    return answer
  }

  function reached() {
    lastContactAt = clock.now()
    if (!isReachable) log.info({ server: servers[current] }, 'server.reached')
    isReachable = true
    refusedAt = null
    start()
  }

  function lost(error: ServerError) {
    if (error.status === 401) return keyRefused()
    if (isReachable) log.warn({ err: error }, 'server.lost')
    isReachable = false
    start()
  }

  /** At once and then every minute: nothing runs until a person changes the key. */
  function keyRefused() {
    isReachable = false
    if (refusedAt !== null && clock.monotonic() - refusedAt < refusedEveryMs) return
    refusedAt = clock.monotonic()
    log.error({ server: servers[current] }, keyRefusedMessage)
  }

  /** Until one takes it: first whoever answered last. */
  async function eachServer<T>(
    ask: (server: string) => Promise<T>,
    signal: AbortSignal | undefined,
    isLoss: (error: ServerError) => boolean,
  ): Promise<T> {
    let last = new ServerError('there is no server to ask', null)
    for (let tries = 0; tries < servers.length; tries++) {
      const asked = current
      try {
        const answer = await ask(servers[asked] ?? '')
        reached()
        return answer
      } catch (error) {
        if (signal?.aborted) throw error
        last = asServerError(error)
        // Whoever else called meanwhile may have moved on already.
        if (isWorthAnother(last)) {
          if (current === asked) current = (asked + 1) % servers.length
        } else break
      }
    }
    if (isLoss(last)) lost(last)
    throw last
  }

  function transfer(
    path: string,
    token: string,
    options: TransferLimit,
    what: Omit<Exchange<void>, 'limit'>,
  ): Promise<void> {
    const { body, read, method } = what
    return eachServer(
      (server) => {
        const sent = { ...headers, [runTokenHeader]: token, ...what.headers }
        return exchange(new URL(`${server}${path}`), agents, {
          method,
          headers: sent,
          body,
          limit: options,
          read,
        })
      },
      options.signal,
      isWorthAnother,
    )
  }

  return {
    call: (call, body, options) =>
      eachServer(
        (server) => ask(server, call, body, options) as Promise<never>,
        options.signal,
        (error) => !error.isRefusal,
      ),
    uploadArtifact: (token, sha256, body, options) =>
      transfer(filePaths.artifact(sha256), token, options, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body,
        read: async (response, origin) => void (await readAnswer(response, origin)),
      }),
    downloadBundle: (token, toPath, options) =>
      transfer(filePaths.codeBundle, token, options, {
        method: 'GET',
        headers: {},
        body: null,
        read: (response, origin) => readInto(toPath, response, origin),
      }),
    get lastContactAt() {
      return lastContactAt
    },
    started,
    get isReachable() {
      return isReachable
    },
    serverCount: servers.length,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const refusedEveryMs = 60_000
const keyRefusedMessage =
  'The server refused this agent’s key: it is unknown or revoked. Create a key of the private location (or an operator key ' +
  'with "vedette agent-keys create"), and start the agent with it as API_KEY.'

const isWorthAnother = ({ isPassing }: ServerError) => isPassing

function asServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new ServerError(code && !message.includes(code) ? `${message} (${code})` : message, null, {
    cause: error,
  })
}
