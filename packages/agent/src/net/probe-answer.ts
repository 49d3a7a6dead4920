// What came back for one probe of a trace, whatever its protocol.
import type { CFamily, SocketError } from './c-socket.ts'

export interface ProbeAnswer {
  /** `connected` and `refused` come from the target, `hop` and `unreachable` from a router, `error` from this system. */
  answer: 'connected' | 'refused' | 'hop' | 'unreachable' | 'error' | 'silent'
  from: string | null
  rttMs: number | null
  code: string | null
}

export interface ProbeContext {
  signal: AbortSignal
  monotonic(): number
}

const timeExceeded = { 4: 11, 6: 3 } as const

/** Null: the error isn't an ICMP message. */
export function icmpAnswer(
  { icmpType, from, code }: SocketError,
  family: CFamily,
  target: string,
): Omit<ProbeAnswer, 'rttMs'> | null {
  if (icmpType === null) return null
  if (icmpType === timeExceeded[family]) return { answer: 'hop', from, code }
  return { answer: from === target ? 'refused' : 'unreachable', from, code }
}

/** Calls `send` once, and settles with the first answer; without one in time the probe is `silent`. */
export function awaitAnswer(
  { signal, monotonic }: ProbeContext,
  timeoutMs: number,
  send: (settle: (answer: Omit<ProbeAnswer, 'rttMs'>) => void) => void,
): Promise<ProbeAnswer> {
  return new Promise((resolve) => {
    const begun = monotonic()
    const settle = (answer: Omit<ProbeAnswer, 'rttMs'>) => {
      const isAnswered = answer.answer !== 'silent' && answer.answer !== 'error'
      clearTimeout(timer)
      signal.removeEventListener('abort', onSilence)
      resolve({ ...answer, rttMs: isAnswered ? monotonic() - begun : null })
    }
    const onSilence = () => settle({ answer: 'silent', from: null, code: null })
    const timer = setTimeout(onSilence, timeoutMs)
    if (signal.aborted) return onSilence()
    signal.addEventListener('abort', onSilence, { once: true })
    send(settle)
  })
}
