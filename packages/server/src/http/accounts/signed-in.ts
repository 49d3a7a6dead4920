// What routes that start a sign-in share.
import { ApiError, type PendingSignIn, type SignIn } from '@vedette/contracts'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type RelyingParty, relyingPartyOf } from '../../accounts/relying-party.ts'
import type { FactorOwner, FactorParts } from '../../accounts/second-factor.ts'
import type { SignInClient, SignInStart } from '../../accounts/sign-in.ts'
import { addressBucket } from '../../core/address-bucket.ts'
import { publicUrl } from '../../core/public-url.ts'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import type { NewSignIn } from '../../storage/accounts/sign-ins.ts'
import type { Deps } from '../transport/deps.ts'
import { ResponseWithStatus } from '../transport/mount.ts'
import { readSignInCookie, signInCookie } from '../transport/sign-in-cookie.ts'
import { serializeSignIn } from './serialize-sign-in.ts'

const longestUserAgent = 500

export function signInClient(
  config: Deps['config'],
  request: Pick<FastifyRequest, 'headers' | 'ip'>,
): SignInClient {
  const bucket = addressBucket(request)
  const address = bucket.replace(/^ip:(::ffff:)?/i, '')
  return {
    bucket,
    address: address.includes(':') ? `${address}::/64` : address,
    userAgent: request.headers['user-agent']?.slice(0, longestUserAgent) ?? null,
    secret: readSignInCookie(config, request.headers),
  }
}

export function signInParts({ clock, passwords, store, vault }: Deps): FactorParts {
  return { db: store.db, clock, passwords, vault }
}

/** Throws a 409 where browsers have no passkeys. */
export function requirePasskeys(config: Deps['config']): RelyingParty {
  const party = relyingPartyOf(publicUrl(config))
  if (typeof party === 'string') throw new ApiError('conflict', { message: party })
  return party
}

/** The person and the sign-in of a request with the cookie. */
export function signedInOf({ keyId, userId, signIn }: Principal): FactorOwner {
  if (signIn !== undefined && userId !== null) return { signInId: keyId, userId }
  throw new ApiError('forbidden', { message: 'An API key has no sign-in.' })
}

/** Without the cookie as long as the second factor is missing. */
export async function respondStarted(
  deps: Deps,
  call: { setHeader(name: string, value: string): void },
  start: SignInStart,
): Promise<z.output<typeof SignIn> | ResponseWithStatus<z.output<typeof PendingSignIn>>> {
  if ('row' in start) return respondSignedIn(deps, call, start)
  // A new password has ended others.
  deps.keys.forget()
  const { token, expiresAt } = start
  return new ResponseWithStatus(202, {
    secondFactor: { token, expiresAt: new Date(expiresAt).toISOString() },
  })
}

/** Sets the cookie. */
export async function respondSignedIn(
  { config, keys, store }: Deps,
  call: { setHeader(name: string, value: string): void },
  { row, secret }: NewSignIn,
): Promise<z.output<typeof SignIn>> {
  // Others of the user may have ended.
  keys.forget()
  call.setHeader('set-cookie', signInCookie(config, secret))
  return serializeSignIn(store.db, row)
}
