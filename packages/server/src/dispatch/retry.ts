// Whether a failed attempt is retried, when and where. Pure: time, randomness and locations are parameters.
import { type CheckType, definitionOf, type Failure, type RetryStrategy } from '@vedette/contracts'
import type { z } from 'zod'

type Strategy = z.output<typeof RetryStrategy>

export interface FailedAttempt {
  checkType: CheckType
  strategy: Strategy | null
  doubleCheck: boolean
  runParallel: boolean
  /** The first attempt is 1. */
  attempt: number
  /** The judged outcome, `shouldFail` included; null when it passed. */
  failure: Pick<Failure, 'kind' | 'phase'> | null
  /** When the first attempt started, and now, both by the server's clock. */
  startedAt: number
  now: number
  /** All locations of the check, public and private. */
  locations: readonly string[]
  location: string
  /** As Math.random: 0 ≤ x < 1. */
  random: () => number
}

export interface Retry {
  delayMs: number
  location: string
}

export function retryAfter(attempt: FailedAttempt): Retry | null {
  const strategy = strategyOf(attempt)
  if (strategy === null || attempt.failure === null) return null
  if (!isRetried(strategy, attempt.failure, attempt.checkType)) return null
  if (attempt.attempt > maxRetriesOf(strategy)) return null
  const delayMs = backoffMs(strategy, attempt.attempt)
  const elapsedMs = Math.max(0, attempt.now - attempt.startedAt)
  if (elapsedMs + delayMs > maxDurationMs(strategy)) return null
  return { delayMs, location: chooseLocation(strategy, attempt) }
}

/** What the deprecated `doubleCheck` means. */
const doubleCheckStrategy: Strategy = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  maxRetries: 1,
  maxDurationSeconds: 600,
  sameRegion: false,
}

function strategyOf({ checkType, strategy, doubleCheck }: FailedAttempt): Strategy | null {
  if (definitionOf(checkType).retries === 'none') return null
  return strategy ?? (doubleCheck ? doubleCheckStrategy : null)
}

function isRetried({ onlyOn }: Strategy, failure: Pick<Failure, 'kind' | 'phase'>, type: CheckType): boolean {
  if (definitionOf(type).retries !== 'http' || onlyOn === undefined || onlyOn.length === 0) return true
  return isNetworkError(failure)
}

const networkKinds: readonly string[] = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'protocol',
] satisfies Failure['kind'][]
const phasesBeforeStatus: readonly string[] = [
  'dns',
  'connect',
  'tls',
  'send',
  'wait',
] satisfies Failure['phase'][]

/** The network failed before an HTTP status arrived. Denied addresses, scripts and internal errors don't count. */
function isNetworkError({ kind, phase }: Pick<Failure, 'kind' | 'phase'>): boolean {
  return networkKinds.includes(kind) && phasesBeforeStatus.includes(phase)
}

function maxRetriesOf({ type, maxRetries }: Strategy): number {
  return type === 'SINGLE_RETRY' ? 1 : Math.min(maxRetries ?? 2, 10)
}

/** Includes the time that the runs take. A single retry has no limit. */
function maxDurationMs({ type, maxDurationSeconds }: Strategy): number {
  return type === 'SINGLE_RETRY' ? Number.POSITIVE_INFINITY : (maxDurationSeconds ?? 600) * 1000
}

function backoffMs({ type, baseBackoffSeconds: base }: Strategy, attempt: number): number {
  const seconds = {
    FIXED: () => base,
    LINEAR: () => base * attempt,
    EXPONENTIAL: () => base ** attempt,
    SINGLE_RETRY: () => base,
  } satisfies Record<Strategy['type'], () => number>
  return Math.round(seconds[type]() * 1000)
}

/** choice: a check with one location retries there, whatever `sameRegion` is. */
function chooseLocation(
  { sameRegion }: Strategy,
  { runParallel, locations, location, random }: FailedAttempt,
): string {
  if (sameRegion || runParallel) return location
  const others = [...new Set(locations)].filter((other) => other !== location)
  return others[Math.floor(random() * others.length)] ?? location
}
