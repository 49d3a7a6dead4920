// One HTTP/1.1 request and its response over an open connection. It doesn't follow redirects.
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import type { BodyBudget } from './body-budget.ts'
import { requestOver } from './dial.ts'
import { connectionClosed, failureOf, failureOfAbort, type Phase } from './failure.ts'
import { maxBodyBytes } from './http-body.ts'
import { type BodyReader, type ReadBody, readBody } from './read-body.ts'
import type { HttpMarks } from './timings.ts'

export interface ExchangeRequest {
  method: string
  /** In the request line: a path, or a whole URL for a proxy. */
  target: string
  headers: Record<string, string | string[]>
  body: Buffer | null
}

export interface ExchangeOptions {
  signal: AbortSignal
  monotonic(): number
  /** For failures. */
  address: string
  /** The rest of the body is read and counted, but not kept; absent: `maxBodyBytes` are kept. */
  keepBytes?: number
  bodyBudget?: BodyBudget
  waits?: AgentWaits
  /** Called with the head of the response. False: the body isn't read. */
  wantsBody(head: ResponseHead): boolean
}

export interface ResponseHead {
  status: number
  statusText: string
  headers: IncomingHttpHeaders
}

/** `body` is decoded. After a failure it is what was received until then. */
export interface ExchangeResult extends ReadBody {
  head: ResponseHead | null
  /** `end` doesn't include waits for the agent. */
  marks: Partial<Pick<HttpMarks, 'send' | 'response' | 'end'>>
  failure: Failure | null
}

const maxHeaderSize = 65_536

/** Always closes the connection. */
export function exchange(
  socket: Socket,
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<ExchangeResult> {
  return new Promise((settle) => {
    const { signal, monotonic, address, waits = agentWaits(monotonic) } = options
    const waitedBeforeMs = waits.totalMs
    const marks: ExchangeResult['marks'] = {}
    let phase: Phase = 'send'
    let head: ResponseHead | null = null
    let reader: BodyReader | null = null

    const onAbort = () => finish(failureOfAbort(signal, phase, address))
    const onError = (error: unknown) => finish(failureOf(error, phase, address))
    let isFinished = false
    function finish(failure: Failure | null) {
      if (isFinished) return
      isFinished = true
      if (failure) delete marks.end
      else receiveEnd()
      signal.removeEventListener('abort', onAbort)
      reader?.stop()
      outgoing?.destroy()
      socket.destroy()
      const read = reader?.result() ?? { body: Buffer.alloc(0), bodyBytes: 0, truncated: false }
      settle({ head, ...read, marks, failure })
    }
    function receiveEnd() {
      marks.end ??= Math.max(marks.response ?? 0, monotonic() - (waits.totalMs - waitedBeforeMs))
    }
    function receiveHead(message: IncomingMessage) {
      marks.response = monotonic()
      marks.send ??= marks.response
      phase = 'receive'
      head = {
        status: message.statusCode ?? 0,
        statusText: message.statusMessage ?? '',
        headers: message.headers,
      }
      return head
    }

    let outgoing: ClientRequest | null = null
    try {
      const { method, target, headers } = request
      outgoing = requestOver(socket, { method, path: target, headers, maxHeaderSize })
    } catch (error) {
      // Node throws for headers that cannot be sent.
      return onError(error)
    }
    // Each event happens once at most: on() takes less memory than once().
    outgoing.on('error', onError)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    outgoing.on('finish', () => {
      marks.send ??= monotonic()
      if (phase === 'send') phase = 'wait'
    })
    outgoing.on('response', (message) => {
      if (!options.wantsBody(receiveHead(message))) return finish(null)
      // Before Node's listener, which would end the connection in one more step. TLS needs that step, for its closing message.
      if (!('encrypted' in socket)) message.prependListener('end', () => socket.destroy())
      const { keepBytes = maxBodyBytes, bodyBudget: budget = null } = options
      reader = readBody(
        message,
        { method: request.method, maxBodyBytes, keepBytes, budget, waits },
        { received: receiveEnd, done: (error) => (error instanceof Error ? onError(error) : finish(error)) },
      )
    })
    outgoing.on('upgrade', (message) => {
      receiveHead(message)
      finish(null)
    })
    outgoing.on('close', () => {
      if (!head) onError(connectionClosed())
    })
    outgoing.end(request.body ?? undefined)
  })
}
