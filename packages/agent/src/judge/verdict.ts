// Settings, what was observed and how the assertions went in; the outcome and its one reason out. Pure.
import type { Failure, Observation } from '@vedette/contracts'
import type { NetworkCheck } from '../checks/runner.ts'
import type { AssertionResult } from './assertions.ts'

export type JudgedCheckType = NetworkCheck['checkType']

/** The fields of a check that decide, whichever its type has. */
export interface VerdictSettings {
  shouldFail?: boolean
  degradedResponseTime?: number | null
  maxResponseTime?: number | null
  degradedPacketLossThreshold?: number | null
  maxPacketLossThreshold?: number | null
}

export interface Verdict {
  outcome: 'passed' | 'degraded' | 'failed' | 'error'
  /** Why it did not pass, a degraded run included; the first reason in the order of the conversation. */
  failure: Failure | null
  isDegraded: boolean
  hasFailures: boolean
  hasErrors: boolean
  overMaxResponseTime: boolean
}

export function verdictOf(
  type: JudgedCheckType,
  settings: VerdictSettings,
  observation: Observation,
  assertions: readonly AssertionResult[],
): Verdict {
  const overMaxResponseTime = isOver(observation.responseTimeMs, settings.maxResponseTime)
  const failure =
    unexpectedFailure(type, settings, observation) ??
    rules[type](settings, observation, assertions) ??
    failedAssertion(assertions) ??
    (overMaxResponseTime ? slow(observation, settings.maxResponseTime, 'maxResponseTime') : null)
  if (failure !== null) {
    const isOurs = failure.kind === 'internal'
    return verdict(isOurs ? 'error' : 'failed', failure, overMaxResponseTime)
  }
  const warning =
    lossOver(type, observation, settings.degradedPacketLossThreshold, 'degradedPacketLossThreshold') ??
    (isOver(observation.responseTimeMs, settings.degradedResponseTime)
      ? slow(observation, settings.degradedResponseTime, 'degradedResponseTime')
      : null)
  return verdict(warning === null ? 'passed' : 'degraded', warning, overMaxResponseTime)
}

function verdict(
  outcome: Verdict['outcome'],
  failure: Failure | null,
  overMaxResponseTime: boolean,
): Verdict {
  return {
    outcome,
    failure,
    isDegraded: outcome === 'degraded',
    hasFailures: outcome === 'failed',
    hasErrors: outcome === 'error',
    overMaxResponseTime,
  }
}

/** A TCP monitor that should fail passes when the connection does not come about; a name that is gone still fails. */
function unexpectedFailure(
  type: JudgedCheckType,
  { shouldFail }: VerdictSettings,
  { failure }: Observation,
): Failure | null {
  if (failure === null || type !== 'TCP' || shouldFail !== true) return failure
  const isConnection = failure.phase !== 'dns' && failure.phase !== 'setup'
  return isConnection && (failure.kind === 'connect' || failure.kind === 'timeout') ? null : failure
}

type Rule = (
  settings: VerdictSettings,
  observation: Observation,
  assertions: readonly AssertionResult[],
) => Failure | null

const rules = {
  API: statusRule,
  URL: statusRule,
  TCP: () => null,
  DNS: responseCodeRule,
  ICMP: (settings, observation) =>
    // A host that never answers is down, whatever loss is put up with.
    lossOver('ICMP', observation, settings.maxPacketLossThreshold ?? 100, 'maxPacketLossThreshold'),
} satisfies Record<JudgedCheckType, Rule>

/**
 * An HTTP status of 400 and more fails unless shouldFail says that one is expected.
 * choice: an assertion on the status does not lift this rule; DNS has such an exception in the spec, HTTP has shouldFail.
 */
function statusRule(
  { shouldFail }: VerdictSettings,
  { subjects }: Observation,
  assertions: readonly AssertionResult[],
): Failure | null {
  const subject = subjects.STATUS_CODE
  if (shouldFail === true || subject?.kind !== 'number' || subject.value < 400) return null
  const isAsserted = assertions.some(({ source, error }) => source === 'STATUS_CODE' && error === undefined)
  const hint = isAsserted ? ' Set shouldFail if an error status is expected.' : ''
  return {
    kind: 'status',
    message: `Expected a status code below 400, but it was ${subject.value}.${hint}`,
    phase: 'judge',
    code: String(subject.value),
  }
}

/** Any code but NOERROR fails unless the response code is asserted, which then decides alone. */
function responseCodeRule(
  _: VerdictSettings,
  { subjects }: Observation,
  assertions: readonly AssertionResult[],
): Failure | null {
  const subject = subjects.RESPONSE_CODE
  if (subject?.kind !== 'text' || subject.value === 'NOERROR') return null
  if (assertions.some(({ source }) => source === 'RESPONSE_CODE')) return null
  return {
    kind: 'dns',
    message: `Expected the response code NOERROR, but it was ${subject.value}.`,
    phase: 'judge',
    code: subject.value,
  }
}

/** The thresholds are losses at which, not above which, a monitor is degraded or fails. */
function lossOver(
  type: JudgedCheckType,
  { subjects }: Observation,
  threshold: number | null | undefined,
  name: string,
): Failure | null {
  if (type !== 'ICMP' || subjects.JSON_RESPONSE?.kind !== 'json') return null
  const loss = (subjects.JSON_RESPONSE.value as { packetLoss?: unknown } | null)?.packetLoss
  if (typeof loss !== 'number' || threshold === null || threshold === undefined || loss < threshold)
    return null
  return {
    kind: 'packet_loss',
    message: `${loss}% of the packets were lost (${name}: ${threshold}%).`,
    phase: 'judge',
  }
}

function failedAssertion(assertions: readonly AssertionResult[]): Failure | null {
  const failed = assertions.filter(({ error }) => error !== undefined)
  const [first] = failed
  if (first === undefined) return null
  const more = failed.length - 1
  const others = more === 0 ? '' : ` ${more} more ${more === 1 ? 'assertion' : 'assertions'} failed.`
  return { kind: 'assertion', message: `${first.error}${others}`, phase: 'judge' }
}

function isOver(timeMs: number | null, limitMs: number | null | undefined): boolean {
  return timeMs !== null && limitMs !== null && limitMs !== undefined && timeMs > limitMs
}

function slow({ responseTimeMs }: Observation, limitMs: number | null | undefined, name: string): Failure {
  return {
    kind: 'response_time',
    message: `The response took ${Math.ceil(responseTimeMs ?? 0)} ms, longer than the limit of ${limitMs} ms (${name}).`,
    phase: 'judge',
  }
}
