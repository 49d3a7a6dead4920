// The lease as an agent holds it: what the run is and what follows its end, signed. A result that comes a day late is
// judged by it alone, whatever has become of the lane.
import { timingSafeEqual } from 'node:crypto'
import type { CheckType, RanAt, RetryStrategy } from '@vedette/contracts'
import type { z } from 'zod'
import type { Vault } from '../storage/core/vault.ts'

export interface Lease {
  laneId: number
  leaseId: string
  accountId: string
  checkId: string
  checkType: CheckType
  runId: string
  attempt: number
  scheduledAt: number
  location: string
  /** The agent that it was handed to; absent in leases of earlier releases. */
  ranAt?: RanAt | null
  queue: string
  source: 'schedule' | 'session' | 'test'
  checkSessionId: string | null
  testSessionId: string | null
  /** When the first attempt was handed out. */
  startedAt: number
  retry: z.output<typeof RetryStrategy> | null
  doubleCheck: boolean
  runParallel: boolean
  /** How many locations run it at once; null: one. */
  parallel: number | null
  /** Where else a retry may be made. */
  locations: string[]
}

export function leaseToken(vault: Vault, lease: Lease): string {
  const text = Buffer.from(JSON.stringify(lease)).toString('base64url')
  return `${text}.${vault.sign(text)}`
}

/** Null for anything that this installation did not sign. */
export function readLease(vault: Vault, token: string): Lease | null {
  const dot = token.indexOf('.')
  if (dot === -1) return null
  const text = token.slice(0, dot)
  const given = Buffer.from(token.slice(dot + 1))
  const expected = Buffer.from(vault.sign(text))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Lease
}
