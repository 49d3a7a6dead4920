// The lease as a signed token: which run it is, and what follows its end. A result that arrives a day late is processed by
// its token alone, even if the lane has changed or is gone.
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
  /** The agent that claimed it; absent in leases of earlier releases. */
  ranAt?: RanAt | null
  queue: string
  source: 'schedule' | 'session' | 'test'
  checkSessionId: string | null
  testSessionId: string | null
  /** When the first attempt was claimed. */
  startedAt: number
  retry: z.output<typeof RetryStrategy> | null
  doubleCheck: boolean
  runParallel: boolean
  /** How many locations run it at once; null: one. */
  parallel: number | null
  /** All locations that a retry may use. */
  locations: string[]
}

export function leaseToken(vault: Vault, lease: Lease): string {
  const text = Buffer.from(JSON.stringify(lease)).toString('base64url')
  return `${text}.${vault.sign(text)}`
}

/** Null if this installation didn't sign the token. The signature makes a check of the fields unnecessary. */
export function readLease(vault: Vault, token: string): Lease | null {
  const dot = token.indexOf('.')
  if (dot === -1) return null
  const text = token.slice(0, dot)
  const given = Buffer.from(token.slice(dot + 1))
  const expected = Buffer.from(vault.sign(text))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const lease: Lease = JSON.parse(Buffer.from(text, 'base64url').toString())
  return lease
}
