// What routes that start a sign-in share.
import type { SignIn } from '@vedette/contracts'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { SignInClient } from '../../accounts/sign-in.ts'
import { addressBucket } from '../../core/address-bucket.ts'
import type { NewSignIn } from '../../storage/accounts/sign-ins.ts'
import type { Deps } from '../transport/deps.ts'
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
