// Why a performed prompt failed. Pure.

import type { Failure } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import { HostError } from './browser-host.ts'
import type { Performance } from './converse.ts'

export interface PerformanceFailure {
  outcome: 'failed' | 'error'
  failure: Failure
}

export function failureOfPerformance(
  performance: Performance | null,
  trouble: unknown,
  limitMs: number,
  signal: AbortSignal,
): PerformanceFailure | null {
  const because = (outcome: 'failed' | 'error', kind: Failure['kind'], message: string) => ({
    outcome,
    failure: { kind, message: cutEnd(message, 9_000), phase: 'judge' as const },
  })
  if (performance) {
    const broken = performance.assertions.find(({ passed }) => !passed)
    if (performance.trouble !== null) return because('error', 'script', performance.trouble)
    if (broken) return because('failed', 'assertion', assertionText(broken))
    return performance.outcome === 'passed' ? null : because('failed', 'script', performance.summary)
  }
  const isTimeout = trouble instanceof Error && trouble.name === 'TimeoutError'
  if (isTimeout) {
    const limit = `The prompt wasn't completed within the time limit of ${Math.round(limitMs / 1000)} s.`
    return because('failed', 'timeout', limit)
  }
  if (signal.aborted)
    return because('error', 'internal', 'The run was canceled while the prompt was performed.')
  return because('error', trouble instanceof HostError ? 'script' : 'internal', errorMessage(trouble))
}

function assertionText({ condition, expected, actual }: Performance['assertions'][number]): string {
  return `${condition}: expected ${expected}, but found ${actual}.`
}
