// What follows a failed attempt: another one, when and where, or nothing. Pure: time, chance and places are handed in.
import { type CheckType, definitionOf, type Failure, type RetryStrategy } from '@vedette/contracts'
import type { z } from 'zod'

type Strategy = z.output<typeof RetryStrategy>

export interface FailedAttempt {
  checkType: CheckType
  strategy: Strategy | null
  doubleCheck: boolean
  runParallel: boolean
  /** Which try this was; the first is 1. */
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

export function retryAfter(tried: FailedAttempt): Retry | null {
  const strategy = strategyOf(tried)
  if (strategy === null || tried.failure === null) return null
  if (!isRetried(strategy, tried.failure, tried.checkType)) return null
  if (tried.attempt > maxRetriesOf(strategy)) return null
  const delayMs = backoffMs(strategy, tried.attempt)
  const elapsedMs = Math.max(0, tried.now - tried.startedAt)
  if (elapsedMs + delayMs > maxDurationMs(strategy)) return null
  return { delayMs, location: placeOf(strategy, tried) }
}

/** The old flag's meaning in today's words. */
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

/** The network kept the HTTP status from us. A refused address, a script or our own error did not even ask for one. */
function isNetworkError({ kind, phase }: Pick<Failure, 'kind' | 'phase'>): boolean {
  return networkKinds.includes(kind) && phasesBeforeStatus.includes(phase)
}

function maxRetriesOf({ type, maxRetries }: Strategy): number {
  return type === 'SINGLE_RETRY' ? 1 : Math.min(maxRetries ?? 2, 10)
}

/** The time covers the runs themselves too; a single retry is not limited by it. */
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

/** choice: a check with one location retries there even when it asks for another. */
function placeOf(
  { sameRegion }: Strategy,
  { runParallel, locations, location, random }: FailedAttempt,
): string {
  if (sameRegion || runParallel) return location
  const others = [...new Set(locations)].filter((other) => other !== location)
  return others[Math.floor(random() * others.length)] ?? location
}
