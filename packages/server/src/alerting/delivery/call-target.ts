// What a call is made of, checked before anything is sent, and what its failures are called. Addresses of channels hold
// tokens: only host and port of one are ever told.
import { isIP } from 'node:net'
import { DeliveryError } from './delivery-error.ts'
import { RefusedAddress } from './guarded-lookup.ts'

export interface HttpTarget {
  /** Host and port. */
  name: string
  isSecure: boolean
  /** The host, where it is an address and no name. */
  literal: string | null
  options: {
    method: string
    host: string
    port: number
    path: string
    /** From the URL alone: a Host header must not change whose certificate is asked for. */
    servername: string
    headers: Record<string, string>
    auth?: string
  }
}

interface Call {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** How long a body is and how connections are kept is between us and the other side. */
const ours = /^(connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Throws a DeliveryError. */
export function readTarget({ method, url, headers, body }: Call): HttpTarget {
  if (!methods.includes(method)) throw permanent(`calls are made with ${methods.join(', ')} only`)
  const parsed = URL.parse(url)
  if (parsed === null) throw permanent('the address to call is not a URL')
  const isSecure = parsed.protocol === 'https:'
  if (!isSecure && parsed.protocol !== 'http:') {
    throw permanent('the address to call does not begin with http:// or https://')
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(parsed.port) || (isSecure ? 443 : 80)
  const isLiteral = isIP(host) !== 0
  const auth = authOf(parsed)
  return {
    name: `${parsed.hostname}:${port}`,
    isSecure,
    literal: isLiteral ? host : null,
    options: {
      method,
      host,
      port,
      path: `${parsed.pathname}${parsed.search}`,
      servername: isLiteral ? '' : host,
      headers: {
        'user-agent': 'Vedette',
        ...readHeaders(headers),
        ...(body !== null && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(auth !== null && { auth }),
    },
  }
}

/** As Node would check them, but without telling a value. Beyond ASCII they go out in UTF-8, as from most programs. */
function readHeaders(headers: Record<string, string>): Record<string, string> {
  const read: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw permanent('a header has a name that can not be sent')
    if (hasControls(value)) throw permanent(`the header ${name} has characters that can not be sent`)
    if (!ours.test(name)) read[name.toLowerCase()] = Buffer.from(value).toString('latin1')
  }
  return read
}

function hasControls(text: string): boolean {
  return [...text].some((sign) => (sign < ' ' && sign !== '\t') || sign === '\x7f')
}

function authOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    throw permanent('the user or password in the address to call is not encoded as it should be')
  }
}

export function refusedAddress({ name }: HttpTarget, refusal: string): DeliveryError {
  return permanent(`${name} is ${refusal}: this server does not call it`)
}

export function callFailure(target: HttpTarget, error: { code?: string } | RefusedAddress): DeliveryError {
  if (error instanceof RefusedAddress) return refusedAddress(target, error.message)
  const code = ('code' in error && error.code) || 'unknown error'
  return new DeliveryError(wording(target.name, code), { permanent: false, cause: error })
}

function wording(name: string, code: string): string {
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) return `the name of ${name} could not be resolved (${code})`
  if (code === 'ECONNREFUSED') return `${name} refused the connection`
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${name} closed the connection without an answer`
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EINVAL)$/.test(code)) {
    return `${name} could not be reached (${code})`
  }
  if (/CERT|SIGNATURE|^UNABLE_TO_|^HOSTNAME_MISMATCH/.test(code)) {
    return `the certificate of ${name} is not accepted (${code})`
  }
  if (/^EPROTO$|SSL|TLS/.test(code)) return `no TLS connection to ${name} could be made (${code})`
  if (code.startsWith('HPE_')) return `${name} does not answer in HTTP (${code})`
  return `the call to ${name} failed (${code})`
}

function permanent(message: string): DeliveryError {
  return new DeliveryError(message, { permanent: true })
}
