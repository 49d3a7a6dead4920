// The reply to one probe of a trace, of any protocol.
import type { CFamily, SocketError } from './c-socket.ts'

export interface ProbeReply {
  /** `connected` and `refused` come from the target, `hop` and `unreachable` from a router, `error` from this system. */
  kind: 'connected' | 'refused' | 'hop' | 'unreachable' | 'error' | 'silent'
  from: string | null
  rttMs: number | null
  code: string | null
}

export type UntimedReply = Omit<ProbeReply, 'rttMs'>

export interface ProbeContext {
  signal: AbortSignal
  monotonic(): number
}

const timeExceeded = { 4: 11, 6: 3 } as const

/** Null: the error isn't an ICMP message. */
export function icmpReply(
  { icmpType, from, code }: SocketError,
  family: CFamily,
  target: string,
): UntimedReply | null {
  if (icmpType === null) return null
  if (icmpType === timeExceeded[family]) return { kind: 'hop', from, code }
  return { kind: from === target ? 'refused' : 'unreachable', from, code }
}

/** Calls `send` once and settles with the first reply; without a reply in time the probe is `silent`. */
export function awaitReply(
  { signal, monotonic }: ProbeContext,
  timeoutMs: number,
  send: (settle: (reply: UntimedReply) => void) => void,
): Promise<ProbeReply> {
  return new Promise((resolve) => {
    const start = monotonic()
    const settle = (reply: UntimedReply) => {
      const hasReply = reply.kind !== 'silent' && reply.kind !== 'error'
      clearTimeout(timer)
      signal.removeEventListener('abort', onSilence)
      resolve({ ...reply, rttMs: hasReply ? monotonic() - start : null })
    }
    const onSilence = () => settle({ kind: 'silent', from: null, code: null })
    const timer = setTimeout(onSilence, timeoutMs)
    if (signal.aborted) return onSilence()
    signal.addEventListener('abort', onSilence, { once: true })
    send(settle)
  })
}
