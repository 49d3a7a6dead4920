// Decides the outcome of a run and its reason, from the settings, the observation and the results of assertions.
import type { Failure, NetworkCheckType, Observation } from '@vedette/contracts'
import { runnerOf } from '../checks/runners.ts'
import type { AssertionResult } from './assertions.ts'

/** The fields of a check that affect the outcome; a type may lack some. */
export interface VerdictSettings {
  shouldFail?: boolean
  degradedResponseTime?: number | null
  maxResponseTime?: number | null
  degradedPacketLossThreshold?: number | null
  maxPacketLossThreshold?: number | null
}

export interface Verdict {
  outcome: 'passed' | 'degraded' | 'failed' | 'error'
  /** Why it didn't pass, also if it is degraded: the first reason in the order of the phases. */
  failure: Failure | null
  overMaxResponseTime: boolean
}

export function verdictOf(
  type: NetworkCheckType,
  settings: VerdictSettings,
  observation: Observation,
  assertions: readonly AssertionResult[],
): Verdict {
  const runner = runnerOf(type)
  const { failure: observed } = observation
  const tooSlow = slowFailure(observation, settings.maxResponseTime, 'maxResponseTime')
  const overMaxResponseTime = tooSlow !== null
  const failure =
    (observed === null || runner.isExpected?.(settings, observed) ? null : observed) ??
    runner.failureOf?.(settings, observation, assertions) ??
    failedAssertion(assertions) ??
    tooSlow
  if (failure !== null) {
    return { outcome: failure.kind === 'internal' ? 'error' : 'failed', failure, overMaxResponseTime }
  }
  const warning =
    runner.warningOf?.(settings, observation) ??
    slowFailure(observation, settings.degradedResponseTime, 'degradedResponseTime')
  return { outcome: warning === null ? 'passed' : 'degraded', failure: warning, overMaxResponseTime }
}

function failedAssertion(assertions: readonly AssertionResult[]): Failure | null {
  const failed = assertions.filter(({ error }) => error !== undefined)
  const [first] = failed
  if (first === undefined) return null
  const more = failed.length - 1
  const others = more === 0 ? '' : ` ${more} more ${more === 1 ? 'assertion' : 'assertions'} failed.`
  return { kind: 'assertion', message: `${first.error}${others}`, phase: 'judge' }
}

function slowFailure(
  { responseTimeMs: timeMs }: Observation,
  limitMs: number | null | undefined,
  name: string,
): Failure | null {
  if (timeMs === null || limitMs === null || limitMs === undefined || timeMs <= limitMs) return null
  return {
    kind: 'response_time',
    message: `The response took ${Math.ceil(timeMs)} ms, longer than the limit of ${limitMs} ms (${name}).`,
    phase: 'judge',
  }
}
