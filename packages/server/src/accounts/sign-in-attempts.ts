// Slows down guessing: per client, and per client and user. Never per user alone, so nobody can lock out someone else.
import { createHash } from 'node:crypto'
import { ApiError } from '@vedette/contracts'
import {
  countAttempt,
  findRetryAt,
  forgetAttempts,
  type SlowDown,
  uncountAttempt,
} from '../storage/accounts/sign-in-attempts.ts'
import { type Db, transact } from '../storage/core/db.ts'

/** Who tries, and which user. */
export interface Attempt {
  /** Of the client: `addressBucket`. */
  bucket: string
  email: string
  /** Codes count apart: the right password must not forgive wrong codes. */
  of?: 'password' | 'code'
}

/** Several people may share an address, so it slows down later and less. */
function slowDownsOf({ bucket, email, of = 'password' }: Attempt): {
  client: SlowDown
  clientAndUser: SlowDown
} {
  const pair = createHash('sha256').update(`${bucket}\n${email.toLowerCase()}`).digest('base64url')
  const prefix = of === 'code' ? 'code ' : ''
  return {
    client: { bucket: `${prefix}${bucket}`, free: 20, longestSeconds: 60 },
    clientAndUser: { bucket: `${prefix}user:${pair}`, free: 5, longestSeconds: 900 },
  }
}

/**
 * Runs `check`, which says whether the password or the code is right, unless there were too many failures: then throws a 429. The attempt
 * counts as failed until it succeeds.
 */
export async function attempt(
  db: Db,
  attempted: Attempt,
  now: () => number,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const { client, clientAndUser } = slowDownsOf(attempted)
  await count(db, [client, clientAndUser], now())
  let isRight: boolean
  try {
    isRight = await check()
  } catch (error) {
    // It wasn't judged.
    await Promise.all([client, clientAndUser].map(({ bucket }) => uncountAttempt(db, bucket, now())))
    throw error
  }
  if (isRight) {
    await uncountAttempt(db, client.bucket, now())
    await forgetAttempts(db, clientAndUser.bucket)
  }
  return isRight
}

/** Throws a 429 after too many requests for links. */
export async function limitResetRequests(db: Db, requested: Attempt, now: number): Promise<void> {
  const { client, clientAndUser } = slowDownsOf(requested)
  await count(
    db,
    [client, clientAndUser].map((each) => ({ ...each, bucket: `reset ${each.bucket}` })),
    now,
  )
}

async function count(db: Db, slowDowns: SlowDown[], now: number): Promise<void> {
  try {
    await transact(db, async (tx) => {
      if ((await countAttempt(tx, slowDowns, now)) < slowDowns.length) throw new TooManyAttempts()
    })
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error
    const retryAt = await findRetryAt(
      db,
      slowDowns.map(({ bucket }) => bucket),
    )
    const seconds = Math.max(1, Math.ceil(((retryAt ?? now) - now) / 1000))
    throw new ApiError('rate_limited', {
      message: `Too many attempts. Try again in ${seconds} s.`,
      attributes: { retryAfterSeconds: seconds },
      headers: { 'retry-after': String(seconds) },
    })
  }
}

class TooManyAttempts extends Error {}
