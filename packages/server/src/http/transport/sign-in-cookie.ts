// The cookie of a sign-in. Its attributes and the checks of origin keep other sites from using it.
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, appHeader, cookieNameAt, signInCookieName } from '@vedette/contracts'
import type { Config } from '../../config.ts'
import { publicUrl } from '../../core/public-url.ts'
import { longestSignInMs } from '../../storage/accounts/sign-ins.ts'

type Address = Pick<Config, 'PUBLIC_URL' | 'PORT'>

interface CookieRequest {
  method: string
  host: string
  headers: IncomingHttpHeaders
}

function cookieName(address: Address, name: string): string {
  return cookieNameAt(publicUrl(address), name)
}

function isSecure(address: Address): boolean {
  return publicUrl(address).startsWith('https:')
}

const singleSignOnName = 'vedette-single-sign-on'

export function readSignInCookie(address: Address, headers: IncomingHttpHeaders): string | undefined {
  return readCookie(cookieName(address, signInCookieName), headers)
}

/** Ties the response of the identity provider to the browser that asked for it. */
export function readSingleSignOnCookie(address: Address, headers: IncomingHttpHeaders): string | undefined {
  return readCookie(cookieName(address, singleSignOnName), headers)
}

function readCookie(name: string, { cookie = '' }: IncomingHttpHeaders): string | undefined {
  const start = `${name}=`
  const found = cookie.split(';').find((part) => part.trimStart().startsWith(start))
  return found?.trim().slice(start.length) || undefined
}

/** `secret` null: deletes the cookie. The server ends idle sign-ins, so the cookie may live as long as any of them. */
export function signInCookie(address: Address, secret: string | null): string {
  return cookie(address, signInCookieName, secret ?? '', secret === null ? 0 : longestSignInMs / 1000)
}

export function singleSignOnCookie(address: Address, secret: string, seconds: number): string {
  return cookie(address, singleSignOnName, secret, seconds)
}

function cookie(address: Address, name: string, value: string, seconds: number): string {
  const secure = isSecure(address) ? '; Secure' : ''
  // Lax: links in emails open pages that depend on the sign-in.
  return `${cookieName(address, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Requests that change something must come from the app. */
export function requireFromApp(address: Address, request: CookieRequest): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return
  const origin = originOf(address, request)
  if (origin === 'other') throw otherSite()
  if (origin === 'unknown') {
    throw new ApiError('forbidden', {
      message:
        'A request with the cookie of a sign-in needs the header Origin or Sec-Fetch-Site. Programs use an API key.',
    })
  }
  if (request.headers[appHeader] === undefined) {
    throw new ApiError('forbidden', {
      message: `A request with the cookie of a sign-in needs the header ${appHeader}: 1. Programs use an API key.`,
    })
  }
}

/** For requests that set the cookie: another site must not sign a visitor in to an account of its own. */
export function refuseOtherSite(address: Address, request: CookieRequest): void {
  if (originOf(address, request) === 'other') throw otherSite()
}

function otherSite(): ApiError {
  return new ApiError('forbidden', { message: 'This request comes from another site.' })
}

/** Browsers send Sec-Fetch-Site over https and to localhost, and Origin with every request that changes something. */
function originOf(address: Address, { host, headers }: CookieRequest): 'own' | 'other' | 'unknown' {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'other'
  const { origin } = headers
  if (origin === undefined) return 'unknown'
  if (origin === new URL(publicUrl(address)).origin) return 'own'
  // People also open the server by other names. A proxy may end TLS, so the protocol isn't known.
  return /^https?:\/\/(.+)$/.exec(origin)?.[1] === host ? 'own' : 'other'
}
