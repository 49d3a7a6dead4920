// A TCP monitor's run. Without data to send, the connection itself is the success; with data, the first answer is.
// A check that asserts on RESPONSE_DATA listens too: many servers greet first.
import { isIP, type Socket } from 'node:net'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { type ConnectionError, connectionError } from '../net/connection-error.ts'
import { deadline } from '../net/deadline.ts'
import { type Dialled, dial, type Tried } from '../net/dial.ts'
import { addressOf, failureOf, failureOfAbort } from '../net/failure.ts'
import { roundMs } from '../net/timings.ts'
import type { CheckOf, Run, Runner } from './runner.ts'

export type TcpSettings = CheckOf<'TCP'>['request']

export interface TcpDetail {
  request: Pick<TcpSettings, 'hostname' | 'port' | 'data' | 'ipFamily'>
  response: {
    data: string
    /** More than 64 kB came; only the beginning is kept. */
    truncated: boolean
  } | null
  timingPhases: TcpPhases
  requestError: string | null
  /** The same as data, as the wire has it. */
  error: ConnectionError | null
  ip: string | null
  tried: Tried[]
}

/** Milliseconds; null: not reached. */
type TcpPhases = Record<'dns' | 'connection' | 'data' | 'total', number | null>

export interface TcpRunnerOptions {
  timeoutMs?: number
  /** After the first data: how long a pause ends the answer, and how long it may take at most. */
  quietMs?: number
  collectMs?: number
}

export const tcpMonitor = {
  type: 'TCP',
  run: tcpRunner({}),
  metrics({ responseTimeMs, detail }) {
    const phases = detail?.timingPhases
    return { total: responseTimeMs, dns: phases?.dns, connection: phases?.connection, data: phases?.data }
  },
  target: ({ hostname, port }) => ({ host: hostname, port }),
  /** With shouldFail a connection that isn't made is a success; a name that doesn't resolve still fails. */
  isExpected({ shouldFail }, { kind, phase }) {
    const isConnection = phase !== 'dns' && phase !== 'setup'
    return shouldFail === true && isConnection && (kind === 'connect' || kind === 'timeout')
  },
} satisfies Runner<'TCP', TcpDetail>

export function tcpRunner({
  timeoutMs = 5_000,
  quietMs = 100,
  collectMs = 500,
}: TcpRunnerOptions): Run<TcpSettings, TcpDetail> {
  return async ({ settings }, context) => {
    const { clock } = context
    const startedAt = clock.now()
    const start = clock.monotonic()
    const limit = deadline(context.signal, timeoutMs)
    const door = { ...context, signal: limit.signal, monotonic: clock.monotonic }
    const dialled = await dialTarget(settings, timeoutMs / 3, door)
    const heard =
      dialled.failure === null && isListening(settings)
        ? await converse(dialled.socket, settings.data ?? '', {
            ...door,
            address: addressOf(dialled.ip, settings.port),
            quietMs,
            collectMs,
          })
        : nothing
    dialled.socket?.destroy()
    limit.clear()
    const times = { startedAt, durationMs: roundMs(clock.monotonic() - start) }
    return observe(settings, dialled, heard, times)
  }
}

function isListening({ data, assertions }: TcpSettings): boolean {
  return !!data || assertions.some(({ source }) => source === 'RESPONSE_DATA')
}

async function dialTarget(
  { hostname, port, ipFamily }: TcpSettings,
  attemptMs: number,
  context: Parameters<typeof dial>[1],
): Promise<Dialled> {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0 || !/^[\d.]+$|:/.test(bare))
    return dial({ host: hostname, port, ipFamily, attemptMs }, context)
  const message = `${hostname} isn't an IP address.`
  const failure: Failure = { kind: 'dns', message, phase: 'dns', code: 'ERR_INVALID_IP_ADDRESS' }
  return { failure, socket: null, ip: null, marks: {}, tried: [], tls: null }
}

interface Heard {
  data: Buffer
  truncated: boolean
  /** When the first data came, by the monotonic clock. */
  firstAt: number | null
  failure: Failure | null
}

const nothing: Heard = { data: Buffer.alloc(0), truncated: false, firstAt: null, failure: null }
const maxBytes = 64 * 1024

interface Conversation {
  signal: AbortSignal
  monotonic(): number
  address: string
  quietMs: number
  collectMs: number
}

/** Sends, then listens. Silence is a failure only for who has said something. */
function converse(socket: Socket, payload: string, talk: Conversation): Promise<Heard> {
  const { signal, address } = talk
  return new Promise((settle) => {
    const chunks: Buffer[] = []
    let size = 0
    let firstAt: number | null = null
    const timers: NodeJS.Timeout[] = []
    const done = (failure: Failure | null) => {
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      const data = Buffer.concat(chunks)
      const isAnswered = firstAt !== null
      settle({
        data: data.subarray(0, maxBytes),
        truncated: size > maxBytes,
        firstAt,
        failure: isAnswered ? null : failure,
      })
    }
    const onAbort = () => {
      const failure = failureOfAbort(signal, 'wait', address)
      done(payload === '' && failure.kind === 'timeout' ? null : failure)
    }
    const onEnd = () => done(payload === '' ? null : closedSilently(address))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error) => done(failureOf(error, 'wait', address)))
    socket.on('end', onEnd)
    socket.on('close', onEnd)
    socket.on('data', (chunk) => {
      if (firstAt === null) {
        firstAt = talk.monotonic()
        timers.push(
          setTimeout(() => done(null), talk.collectMs),
          setTimeout(() => done(null), talk.quietMs),
        )
      }
      timers[1]?.refresh()
      size += chunk.length
      chunks.push(chunk)
      if (size > maxBytes) done(null)
    })
    if (payload !== '') socket.write(payload)
  })
}

function closedSilently(address: string): Failure {
  const message = 'The target closed the connection without a response.'
  return { kind: 'protocol', message, phase: 'wait', address, code: 'SOCKET_CLOSED' }
}

function observe(
  settings: TcpSettings,
  dialled: Dialled,
  heard: Heard,
  times: { startedAt: number; durationMs: number },
): Observation<TcpDetail> {
  const failure = wireFailure(dialled.failure ?? heard.failure)
  const timingPhases = phasesOf(dialled, heard)
  const { hostname, port, data, ipFamily } = settings
  const response = failure ? null : { data: heard.data.toString('utf8'), truncated: heard.truncated }
  return {
    ...times,
    responseTimeMs: failure ? null : timingPhases.total,
    failure,
    detail: {
      request: { hostname, port, data, ipFamily },
      response,
      timingPhases,
      requestError: failure?.message ?? null,
      error: failure && connectionError(failure, settings),
      ip: dialled.ip,
      tried: dialled.tried,
    },
    subjects: response ? subjectsOf(response.data, timingPhases.total ?? 0) : {},
  }
}

/** The wire has one name for every wait that was too long, but for the resolver's. */
function wireFailure(failure: Failure | null): Failure | null {
  if (failure?.kind !== 'timeout' || failure.phase === 'dns') return failure
  return { ...failure, code: 'SOCKET_TIMEOUT' }
}

function phasesOf({ marks }: Dialled, { firstAt }: Heard): TcpPhases {
  const between = (from?: number | null, to?: number | null) =>
    from == null || to == null ? null : roundMs(to - from)
  return {
    dns: between(marks.socket, marks.lookup),
    connection: between(marks.lookup, marks.connect),
    data: between(marks.connect, firstAt),
    total: between(marks.socket, firstAt ?? marks.connect),
  }
}

function subjectsOf(data: string, total: number): Record<string, Subject> {
  return {
    RESPONSE_DATA: { kind: 'text', value: data },
    RESPONSE_TIME: { kind: 'number', value: total },
  }
}
