// Limits diagnoses of network failures: one per check, reason and interval, a few at a time, with a time limit. Results in
// between carry the last diagnosis with its time.
import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { deadline } from '../net/deadline.ts'
import type { DiagnoseContext, DiagnoseInput } from '../net/diagnose.ts'

export type Diagnose = (input: DiagnoseInput, context: DiagnoseContext) => Promise<Record<string, unknown>>

interface DiagnosisOptions {
  diagnose: Diagnose
  network: NetworkPolicy
  clock: { now(): number; monotonic(): number }
  everyMs?: number
  limitMs?: number
}

export type DiagnoseFailure = ReturnType<typeof limitDiagnoses>

const kinds = new Set<Failure['kind']>(['dns', 'connect', 'tls', 'timeout', 'protocol'])
const maxAtOnce = 5
const maxKept = 500
const maxKeptChars = 20_000

interface Finding {
  reason: string
  at: number
  diagnosis: Record<string, unknown> | null
}

export const isWorthDiagnosing = ({ kind }: Failure) => kinds.has(kind)

export function limitDiagnoses(options: DiagnosisOptions) {
  const { diagnose, network, clock, everyMs = 300_000, limitMs = 5_000 } = options
  const findings = new Map<string, Finding>()
  let running = 0

  return async (checkId: string, input: DiagnoseInput, signal: AbortSignal) => {
    const { kind, phase, code = '' } = input.failure
    const reason = `${kind} ${phase} ${code} ${input.host}`
    const known = findings.get(checkId)
    if (known?.reason === reason && clock.monotonic() - known.at < everyMs)
      return known.diagnosis ?? undefined
    if (running >= maxAtOnce || signal.aborted) return undefined
    running += 1
    const limit = deadline(signal, limitMs)
    try {
      const context = { network, signal: limit.signal, monotonic: () => clock.monotonic() }
      const diagnosis = { at: clock.now(), ...(await diagnose(input, context)) }
      const isSmall = JSON.stringify(diagnosis).length <= maxKeptChars
      findings.delete(checkId)
      const oldest = findings.size >= maxKept ? findings.keys().next().value : undefined
      if (oldest !== undefined) findings.delete(oldest)
      findings.set(checkId, { reason, at: clock.monotonic(), diagnosis: isSmall ? diagnosis : null })
      return diagnosis
    } finally {
      limit.clear()
      running -= 1
    }
  }
}
