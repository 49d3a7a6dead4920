// Settings, what was observed and how the assertions went in; the outcome and its one reason out. Pure.
import type { Failure, NetworkCheckType, Observation } from '@vedette/contracts'
import { runnerOf } from '../checks/runners.ts'
import type { AssertionResult } from './assertions.ts'

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
  type: NetworkCheckType,
  settings: VerdictSettings,
  observation: Observation,
  assertions: readonly AssertionResult[],
): Verdict {
  const runner = runnerOf(type)
  const own = observation.failure
  const overMaxResponseTime = isOver(observation.responseTimeMs, settings.maxResponseTime)
  const failure =
    (own === null || runner.isExpected?.(settings, own) ? null : own) ??
    runner.failureOf?.(settings, observation, assertions) ??
    failedAssertion(assertions) ??
    (overMaxResponseTime ? slow(observation, settings.maxResponseTime, 'maxResponseTime') : null)
  if (failure !== null) {
    const isOurs = failure.kind === 'internal'
    return verdict(isOurs ? 'error' : 'failed', failure, overMaxResponseTime)
  }
  const warning =
    runner.warningOf?.(settings, observation) ??
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
