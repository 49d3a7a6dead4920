// A TCP monitor's run. Without data to send, a connection is a success; with data, a response is. A check with an assertion on
// RESPONSE_DATA also waits for data, since many servers send a greeting.
import { isIP, type Socket } from 'node:net'
import { constants } from 'node:os'
import type { Failure, Subject } from '@vedette/contracts'
import { deadline } from '../net/deadline.ts'
import { type DialResult, dial, failedDial } from '../net/dial.ts'
import { addressOf, failureOf, failureOfAbort } from '../net/failure.ts'
import { splitServer, stripBrackets } from '../net/split-server.ts'
import { between } from '../net/timings.ts'
import type { CheckOf, RunContext, Runner } from './runner.ts'

export type TcpSettings = CheckOf<'TCP'>['request']

type TcpDetail = ReturnType<typeof observationOf>['detail']

export const tcpMonitor = {
  type: 'TCP',
  run: tcpRunner({}),
  metrics({ responseTimeMs, detail }) {
    const phases = detail?.timingPhases
    return { total: responseTimeMs, dns: phases?.dns, connection: phases?.connection, data: phases?.data }
  },
  target: ({ hostname, port }) => ({ host: hostname, port }),
  /** With shouldFail, a failed connection is a success; a name that doesn't resolve still fails. */
  isExpected({ shouldFail }, { kind, phase }) {
    const isConnection = phase !== 'dns' && phase !== 'setup'
    return shouldFail === true && isConnection && (kind === 'connect' || kind === 'timeout')
  },
} satisfies Runner<'TCP', TcpDetail>

/** After the first data, a pause of `quietMs` ends the response, and so do `collectMs` in total. */
export function tcpRunner({ timeoutMs = 5_000, quietMs = 100, collectMs = 500 }) {
  return async (settings: TcpSettings, context: RunContext) => {
    const limit = deadline(context.signal, timeoutMs)
    const dialContext = { ...context, signal: limit.signal, monotonic: context.clock.monotonic }
    const dialed = await dialTarget(settings, timeoutMs / 3, dialContext)
    const received =
      dialed.failure === null && expectsData(settings)
        ? await exchangeData(dialed.socket, settings.data ?? '', {
            ...dialContext,
            address: addressOf(dialed.ip, settings.port),
            quietMs,
            collectMs,
          })
        : nothing
    dialed.socket?.destroy()
    limit.clear()
    return observationOf(settings, dialed, received)
  }
}

function expectsData({ data, assertions }: TcpSettings): boolean {
  return !!data || assertions.some(({ source }) => source === 'RESPONSE_DATA')
}

async function dialTarget(
  { hostname, port, ipFamily }: TcpSettings,
  attemptMs: number,
  context: Parameters<typeof dial>[1],
): Promise<DialResult> {
  const name = stripBrackets(hostname)
  if (isIP(name) !== 0 || !/^[\d.]+$|:/.test(name))
    return dial({ host: hostname, port, ipFamily, attemptMs }, context)
  const message = `${hostname} isn't an IP address.`
  const failure: Failure = { kind: 'dns', message, phase: 'dns', code: 'ERR_INVALID_IP_ADDRESS' }
  return failedDial(failure)
}

interface Received {
  data: Buffer
  /** More than 64 kB were received; only the beginning is kept. */
  truncated: boolean
  /** When the first data was received, by the monotonic clock. */
  firstAt: number | null
  failure: Failure | null
}

const nothing: Received = { data: Buffer.alloc(0), truncated: false, firstAt: null, failure: null }
const maxBytes = 64 * 1024

interface DataExchange {
  signal: AbortSignal
  monotonic(): number
  address: string
  quietMs: number
  collectMs: number
}

/** Sends the payload and collects the response. Without a payload, no response is a success. */
function exchangeData(socket: Socket, payload: string, options: DataExchange): Promise<Received> {
  const { signal, address } = options
  return new Promise((settle) => {
    const chunks: Buffer[] = []
    let size = 0
    let firstAt: number | null = null
    const timers: NodeJS.Timeout[] = []
    const done = (failure: Failure | null) => {
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      const data = Buffer.concat(chunks)
      settle({
        data: data.subarray(0, maxBytes),
        truncated: size > maxBytes,
        firstAt,
        failure: firstAt === null ? failure : null,
      })
    }
    const onAbort = () => {
      const failure = failureOfAbort(signal, 'wait', address)
      done(payload === '' && failure.kind === 'timeout' ? null : failure)
    }
    const onEnd = () => done(payload === '' ? null : closedWithoutData(address))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error) => done(failureOf(error, 'wait', address)))
    socket.on('end', onEnd)
    socket.on('close', onEnd)
    socket.on('data', (chunk) => {
      if (firstAt === null) {
        firstAt = options.monotonic()
        timers.push(
          setTimeout(() => done(null), options.collectMs),
          setTimeout(() => done(null), options.quietMs),
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

function closedWithoutData(address: string): Failure {
  const message = 'The target closed the connection without a response.'
  return { kind: 'protocol', message, phase: 'wait', address, code: 'SOCKET_CLOSED' }
}

function observationOf(settings: TcpSettings, dialed: DialResult, received: Received) {
  const failure = wireFailure(dialed.failure ?? received.failure)
  const timingPhases = phasesOf(dialed, received)
  const { hostname, port, data, ipFamily } = settings
  const response = failure ? null : { data: received.data.toString('utf8'), truncated: received.truncated }
  return {
    responseTimeMs: failure ? null : timingPhases.total,
    failure,
    detail: {
      request: { hostname, port, data, ipFamily },
      response,
      timingPhases,
      requestError: failure?.message ?? null,
      /** The failure in the fields of the API. */
      error: failure && connectionError(failure, settings),
      ip: dialed.ip,
      tried: dialed.tried,
    },
    subjects: response ? subjectsOf(response.data, timingPhases.total ?? 0) : {},
  }
}

/** The API has one code for all timeouts except that of the resolver. */
function wireFailure(failure: Failure | null): Failure | null {
  if (failure?.kind !== 'timeout' || failure.phase === 'dns') return failure
  return { ...failure, code: 'SOCKET_TIMEOUT' }
}

/** Milliseconds; null: not reached. */
function phasesOf({ marks }: DialResult, { firstAt }: Received) {
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

function connectionError(
  { code = 'ERROR', phase, address }: Failure,
  { hostname, ipFamily }: Pick<TcpSettings, 'hostname' | 'ipFamily'>,
) {
  if (code === 'ERR_INVALID_IP_ADDRESS') return { code }
  if (phase === 'dns') return { code, syscall: ipFamily === 'IPv6' ? 'queryAaaa' : 'queryA', hostname }
  const { host, port } = splitServer(address ?? '')
  const where = { ...(host !== '' && { address: host }), ...(port !== undefined && { port }) }
  const errno = errnos.get(code)
  // Node negates the numbers of the system. Timeouts of the agent have no number.
  return errno === undefined
    ? { code, ...where }
    : { code, errno: -errno, syscall: syscallOf(phase), ...where }
}

const errnos = new Map(Object.entries(constants.errno))

const syscallOf = (phase: Failure['phase']) => (phase === 'connect' ? 'connect' : 'read')
