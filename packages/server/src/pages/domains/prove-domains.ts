// Looks up the DNS records that prove custom domains. Any number of servers may do it: rows are claimed.
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type { Clock } from '../../core/clock.ts'
import { domainProof } from '../../links/domain-proof.ts'
import type { Sign } from '../../links/subscription-link.ts'
import type { Db } from '../../storage/core/db.ts'
import * as domains from '../../storage/pages/page-domains.ts'
import type { LookUpTxt } from './look-up-txt.ts'

const batch = 20
/** Longer than a lookup takes. */
const leaseMs = minuteMs
const pendingMs = 2 * minuteMs
const provenMs = dayMs
/** While the record of a proven domain can't be found. */
const doubtfulMs = hourMs
/** How long a page stays on its domain after the record is gone. */
export const graceMs = 7 * dayMs

export interface ProofOptions {
  db: Db
  sign: Sign
  clock: Clock
  lookUp: LookUpTxt
}

/** Returns how many domains were looked up. */
export async function proveDueDomains({ db, sign, clock, lookUp }: ProofOptions): Promise<number> {
  if (!(await domains.hasSeveralAccounts(db))) return 0
  const due = await domains.claimDueDomains(db, { now: clock.now(), limit: batch, leaseMs })
  await Promise.all(
    due.map(async (row) => {
      const { recordName, recordValue } = domainProof(sign, row.account_id, row.domain)
      const finding = await findRecord(lookUp, recordName, recordValue)
      await domains.recordDomainCheck(db, row, nextCheck(row, finding, clock.now()))
    }),
  )
  return due.length
}

interface Finding {
  /** unknown: the lookup failed, which says nothing about the record. */
  record: 'found' | 'absent' | 'unknown'
  problem: string | null
}

async function findRecord(lookUp: LookUpTxt, name: string, value: string): Promise<Finding> {
  try {
    const texts = await lookUp(name)
    if (texts.some((text) => text.trim() === value)) return { record: 'found', problem: null }
    const problem =
      texts.length === 0
        ? `There is no TXT record at ${name}.`
        : `The TXT record at ${name} has another value.`
    return { record: 'absent', problem }
  } catch (error) {
    const problem = `The TXT record at ${name} can't be looked up (${errorCode(error) ?? 'unknown error'}).`
    return { record: 'unknown', problem }
  }
}

function nextCheck(
  { proven_at, missing_since }: domains.PageDomainRow,
  { record, problem }: Finding,
  now: number,
): domains.DomainCheck {
  const inMs = (delay: number) => new Date(now + delay)
  if (record === 'found')
    return {
      proven_at: proven_at ?? new Date(now),
      missing_since: null,
      problem: null,
      check_at: inMs(provenMs),
    }
  if (proven_at === null) return { proven_at, missing_since: null, problem, check_at: inMs(pendingMs) }
  if (record === 'unknown') return { proven_at, missing_since, problem, check_at: inMs(doubtfulMs) }
  if (missing_since !== null && now - Date.parse(missing_since) >= graceMs)
    return { proven_at: null, missing_since: null, problem, check_at: inMs(pendingMs) }
  return { proven_at, missing_since: missing_since ?? new Date(now), problem, check_at: inMs(doubtfulMs) }
}
