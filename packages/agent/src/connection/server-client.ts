// Calls the agent's servers: first the server that responded last, then the next one if it can't be reached or fails. For the
// agent protocol only; checks go through net/dial.ts and the address policy.
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { ServerClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { type Call, filePaths, paths, type Responses, runTokenHeader } from './protocol.ts'
import {
  agentsFor,
  type CallLimit,
  type Exchange,
  exchange,
  type FileBody,
  type ProxySettings,
  readInto,
  readResponse,
  ServerError,
  type TransferLimit,
} from './server-exchange.ts'

export interface ServerClientOptions {
  servers: readonly string[]
  apiKey: string
  version: string
  proxies?: ProxySettings
}

export type ServerClient = ReturnType<typeof createServerClient>

export function createServerClient(
  { servers, apiKey, version, proxies = {} }: ServerClientOptions,
  clock: ServerClock,
  log: Log,
) {
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

  function noteContact() {
    lastContactAt = clock.now()
    if (!isReachable) log.info({ server: servers[current] }, 'server.reached')
    isReachable = true
    refusedAt = null
    start()
  }

  function noteLoss(error: ServerError) {
    if (error.status === 401) return noteRefusedKey()
    if (isReachable) log.warn({ err: error }, 'server.lost')
    isReachable = false
    start()
  }

  /** Logged at once and then every minute, since nothing runs until the operator changes the key. */
  function noteRefusedKey() {
    isReachable = false
    if (refusedAt !== null && clock.monotonic() - refusedAt < refusedKeyLogMs) return
    refusedAt = clock.monotonic()
    log.error({ server: servers[current] }, keyRefusedMessage)
  }

  /** Tries the servers in turn, starting with the one that responded last. */
  async function tryServers<T>(
    attempt: (server: string) => Promise<T>,
    signal: AbortSignal | undefined,
    isLoss: (error: ServerError) => boolean,
  ): Promise<T> {
    let last = new ServerError('no server is configured', null)
    for (let tries = 0; tries < servers.length; tries++) {
      const tried = current
      try {
        const result = await attempt(servers[tried] ?? '')
        noteContact()
        return result
      } catch (error) {
        if (signal?.aborted) throw error
        last = toServerError(error)
        // A concurrent call may have switched to another server already.
        if (isTransient(last)) {
          if (current === tried) current = (tried + 1) % servers.length
        } else break
      }
    }
    if (isLoss(last)) noteLoss(last)
    throw last
  }

  function transferFile(
    path: string,
    token: string,
    options: TransferLimit,
    transfer: Omit<Exchange<void>, 'limit'>,
  ): Promise<void> {
    return tryServers(
      (server) =>
        exchange(new URL(`${server}${path}`), agents, {
          ...transfer,
          headers: { ...headers, [runTokenHeader]: token, ...transfer.headers },
          limit: options,
        }),
      options.signal,
      isTransient,
    )
  }

  return {
    /** `body` is JSON. Throws a ServerError if no server accepts it. */
    call: <C extends Call>(call: C, body: string | Buffer, options: CallLimit): Promise<Responses[C]> =>
      tryServers(
        async (server) => {
          const sentAt = clock.monotonic()
          const response = await exchange(new URL(`${server}${paths[call]}`), agents, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body: typeof body === 'string' ? Buffer.from(body) : body,
            limit: options,
            read: readResponse,
          })
          clock.sample(sentAt, clock.monotonic(), response.serverTime)
          // The server sends what its contract says; an agent doesn't load the schemas.
          return response as Responses[C]
        },
        options.signal,
        // During an upgrade, an older server may not know the route of logs.
        (error) => (call === 'logs' ? error.isTransient : !error.isRefusal),
      ),
    /** Uploads a file of the run with this lease. */
    uploadArtifact: (token: string, sha256: string, body: FileBody, options: TransferLimit) =>
      transferFile(filePaths.artifact(sha256), token, options, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body,
        read: async (response, origin) => void (await readResponse(response, origin)),
      }),
    /** Downloads a file (`filePaths`) for the run with this lease. */
    download: (path: string, token: string, toPath: string, options: TransferLimit) =>
      transferFile(path, token, options, {
        method: 'GET',
        headers: {},
        body: null,
        read: (response, origin) => readInto(toPath, response, origin),
      }),
    /** The time of the last successful response, by the server's clock. */
    get lastContactAt() {
      return lastContactAt
    },
    /** Resolves with the first response or failure that isn't a refusal of the key. */
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

const refusedKeyLogMs = 60_000
const keyRefusedMessage =
  'The server refused this agent’s key: it is unknown or revoked. Create a key of the private location (or an operator key ' +
  'with "vedette agent-keys create"), and start the agent with it as API_KEY.'

const isTransient = (error: ServerError) => error.isTransient

function toServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error
  const code = errorCode(error)
  const message = errorMessage(error)
  return new ServerError(code && !message.includes(code) ? `${message} (${code})` : message, null, {
    cause: error,
  })
}
