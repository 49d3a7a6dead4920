// Describes where a ping came from. Headers are untrusted: they are truncated, and may contain secrets.
import type { FastifyRequest } from 'fastify'

type PingRequest = Pick<FastifyRequest, 'method' | 'protocol' | 'headers'>

const maxChars = 500

export function pingSource({ method, protocol, headers }: PingRequest): string {
  const { origin, referer } = headers
  // A sandboxed page has the origin "null".
  if (origin !== undefined && origin !== 'null') return origin.slice(0, maxChars)
  // The query of a page may contain secrets.
  if (referer !== undefined) return (referer.split(/[?#]/)[0] ?? '').slice(0, maxChars)
  const name = programName(headers['user-agent'])
  return `${protocol.toUpperCase()} ${method}${name === null ? '' : ` from ${name}`}`
}

export function pingUserAgent({ headers }: Pick<PingRequest, 'headers'>): string | null {
  return headers['user-agent']?.slice(0, maxChars) ?? null
}

/** curl/8.14.1 -> curl; all browsers begin with Mozilla. */
function programName(userAgent: string | undefined): string | null {
  const name = /^[\w.-]{1,50}/.exec(userAgent ?? '')?.[0] ?? null
  return name === 'Mozilla' ? 'a browser' : name
}
