// How a ping came, as text that people recognise. Headers are anyone's words: they are cut, and secrets stay out.
import type { FastifyRequest } from 'fastify'

type Asked = Pick<FastifyRequest, 'method' | 'protocol' | 'headers'>

const longest = 500

export function pingSource({ method, protocol, headers }: Asked): string {
  const { origin, referer } = headers
  // A sandboxed page has the origin "null".
  if (origin !== undefined && origin !== 'null') return origin.slice(0, longest)
  // The query of a page may hold what is no business of ours.
  if (referer !== undefined) return (referer.split(/[?#]/)[0] ?? '').slice(0, longest)
  const name = programName(headers['user-agent'])
  return `${protocol.toUpperCase()} ${method}${name === null ? '' : ` from ${name}`}`
}

export function pingUserAgent({ headers }: Pick<Asked, 'headers'>): string | null {
  return headers['user-agent']?.slice(0, longest) ?? null
}

/** curl/8.14.1 -> curl; what all browsers begin with says only that it is one. */
function programName(userAgent: string | undefined): string | null {
  const name = /^[\w.-]{1,50}/.exec(userAgent ?? '')?.[0] ?? null
  return name === 'Mozilla' ? 'a browser' : name
}
