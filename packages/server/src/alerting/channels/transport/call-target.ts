// Validates a request before anything is sent, and words its failures. URLs of channels contain tokens, so messages show only
// host and port.
import { isIP } from 'node:net'
import { DeliveryError } from './delivery-error.ts'
import { RefusedAddress } from './guarded-lookup.ts'

export interface HttpTarget {
  /** Host and port. */
  name: string
  isSecure: boolean
  /** The host if it is an IP address. */
  literal: string | null
  options: {
    method: string
    host: string
    port: number
    path: string
    /** From the URL only: a Host header must not change which certificate is expected. */
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

const advice = "Correct it in the channel's settings."

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Framing and hop-by-hop headers; users may not set them. */
const reservedHeaders =
  /^(connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Throws a DeliveryError. */
export function readTarget({ method, url, headers, body }: Call): HttpTarget {
  if (!methods.includes(method))
    throw permanent(`The method isn't supported. Use one of ${methods.join(', ')}.`)
  const parsed = URL.parse(url)
  if (parsed === null) throw permanent(`The channel's address isn't a URL. ${advice}`)
  const isSecure = parsed.protocol === 'https:'
  if (!isSecure && parsed.protocol !== 'http:') {
    throw permanent(`The channel's address doesn't begin with http:// or https://. ${advice}`)
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

/** The checks of Node, but without values in messages. Non-ASCII values are sent as UTF-8. */
function readHeaders(headers: Record<string, string>): Record<string, string> {
  const accepted: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw permanent(`A header of the channel has a name that HTTP doesn't allow. ${advice}`)
    if (hasControls(value))
      throw permanent(`The header ${name} has control characters, which cannot be sent. ${advice}`)
    if (!reservedHeaders.test(name)) accepted[name.toLowerCase()] = Buffer.from(value).toString('latin1')
  }
  return accepted
}

function hasControls(text: string): boolean {
  return [...text].some((char) => (char < ' ' && char !== '\t') || char === '\x7f')
}

function authOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    throw permanent(
      `The user name or password in the channel's address isn't percent-encoded correctly. ${advice}`,
    )
  }
}

export function refusedAddress({ name }: HttpTarget, refusal: string): DeliveryError {
  return new DeliveryError(
    `The message was not sent, because ${name} is ${refusal}. Use another address, or ask the operator to allow this one.`,
    { permanent: true, cause: new RefusedAddress(refusal) },
  )
}

export function callFailure(target: HttpTarget, error: { code?: string } | RefusedAddress): DeliveryError {
  if (error instanceof RefusedAddress) return refusedAddress(target, error.message)
  const code = ('code' in error && error.code) || 'unknown error'
  return new DeliveryError(wording(target.name, code), { permanent: false, cause: error })
}

function wording(name: string, code: string): string {
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return `The host name of ${name} could not be resolved (${code}). Check the channel's address.`
  if (code === 'ECONNREFUSED')
    return `The receiver at ${name} refused the connection. Check that it is running and that the port is correct.`
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return `The receiver at ${name} closed the connection without a response. Check its logs.`
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EINVAL)$/.test(code)) {
    return `The receiver at ${name} could not be reached (${code}). Check the network and the firewalls on the way to it.`
  }
  if (/CERT|SIGNATURE|^UNABLE_TO_|^HOSTNAME_MISMATCH/.test(code)) {
    return `The certificate of ${name} isn't trusted (${code}). Install a valid certificate there.`
  }
  if (/^EPROTO$|SSL|TLS/.test(code))
    return `A TLS connection to ${name} could not be established (${code}). Check that the receiver supports TLS on this port.`
  if (code.startsWith('HPE_'))
    return `The receiver at ${name} didn't send an HTTP response (${code}). Check the channel's address.`
  return `The call to ${name} failed (${code}). Check the channel's address and the receiver.`
}

function permanent(message: string): DeliveryError {
  return new DeliveryError(message, { permanent: true })
}
