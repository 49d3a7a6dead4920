// A request and its redirects. Each hop is dialed under the same address policy.
import type { Failure } from '@vedette/contracts'
import { type ClientCertificate, certificateFor } from '@vedette/safeguards/client-certificate'
import type { AgentWaits } from '../core/agent-waits.ts'
import type { BodyBudget } from './body-budget.ts'
import { type DialContext, type DialResult, type DialTarget, dial } from './dial.ts'
import { isFailure } from './failure.ts'
import { type ExchangeResult, exchange, type ResponseHead } from './http-exchange.ts'
import { type OutgoingRequest, redirectOf } from './http-request.ts'
import { dialThrough } from './proxy.ts'
import type { IpFamily } from './resolve.ts'
import { type HttpMarks, roundMs } from './timings.ts'

export interface HopSettings {
  followRedirects: boolean
  skipSSL: boolean
  ipFamily: IpFamily
}

export interface HopContext extends DialContext {
  proxyUrl?: string
  clientCertificates?: readonly ClientCertificate[]
  bodyBudget?: BodyBudget
  waits: AgentWaits
  /** The most that is kept of a body. */
  keepBytes: number
}

export interface Redirect {
  status: number
  url: string
  location: string
  ip: string | null
  durationMs: number
}

const maxRedirects = 20

export interface Hop {
  href: string
  /** `tried`: for the last connection. `ip`: the address that responded; null with a proxy. */
  dialed: Pick<DialResult, 'tried' | 'tls' | 'ip'>
  marks: Partial<HttpMarks>
  exchanged: ExchangeResult | null
  failure: Failure | null
}

export async function followHops(
  first: OutgoingRequest,
  settings: HopSettings,
  context: HopContext,
  redirects: Redirect[],
): Promise<Hop> {
  let request = first
  for (;;) {
    const begun = context.monotonic()
    const hop = await makeHop(request, settings, context)
    const head = hop.exchanged?.head
    if (hop.failure || !head || !settings.followRedirects) return hop
    const location = head.headers.location
    const next = redirectOf(request, head.status, location)
    if (!next) return hop
    if (isFailure(next)) return failHop(hop, next)
    if (redirects.length >= maxRedirects) return failHop(hop, tooManyRedirects)
    redirects.push({
      status: head.status,
      url: request.url.href,
      location: next.url.href,
      ip: hop.dialed.ip,
      durationMs: roundMs(context.monotonic() - begun),
    })
    request = next
  }
}

function failHop(hop: Hop, failure: Failure): Hop {
  const address = hop.dialed.tried.at(-1)?.address
  return { ...hop, failure: { ...failure, ...(address !== undefined && { address }) } }
}

const tooManyRedirects: Failure = {
  kind: 'redirect',
  message: `The request was redirected more than ${maxRedirects} times.`,
  phase: 'receive',
  code: 'TOO_MANY_REDIRECTS',
}

async function makeHop(request: OutgoingRequest, settings: HopSettings, context: HopContext): Promise<Hop> {
  const { url } = request
  const { dialed, proxyHeaders } = await connect(url, settings, context)
  const { marks, tried, tls, failure } = dialed
  const ip = context.proxyUrl === undefined ? dialed.ip : null
  const hop = { href: url.href, dialed: { tried, tls, ip } }
  if (failure) return { ...hop, marks, exchanged: null, failure }
  const body = request.body === null ? null : Buffer.from(request.body)
  const path = `${url.pathname}${url.search}`
  // A Host header of the user has priority.
  const headers: OutgoingRequest['headers'] = hasHeader(request, 'host')
    ? { ...request.headers }
    : { host: url.host, ...request.headers }
  if (proxyHeaders) Object.assign(headers, proxyHeaders)
  if (body) headers['content-length'] = `${body.length}`
  const exchanged = await exchange(
    dialed.socket,
    {
      method: request.method,
      target: proxyHeaders ? `${url.origin}${path}` : path,
      headers,
      body,
    },
    {
      ...context,
      address: tried.at(-1)?.address ?? dialed.ip,
      wantsBody: (head) => !settings.followRedirects || !isRedirect(request, head),
    },
  )
  return { ...hop, marks: { ...marks, ...exchanged.marks }, exchanged, failure: exchanged.failure }
}

async function connect(url: URL, settings: HopSettings, context: HopContext) {
  const clientCertificate = certificateFor(url.hostname, context.clientCertificates ?? [])
  const target: DialTarget = {
    host: url.hostname,
    port: portOf(url),
    ipFamily: settings.ipFamily,
    ...(url.protocol === 'https:' && {
      tls: { verify: !settings.skipSSL, alpn: ['http/1.1'], clientCertificate },
    }),
  }
  if (context.proxyUrl !== undefined) return dialThrough(context.proxyUrl, target, context)
  return { dialed: await dial(target, context), proxyHeaders: null }
}

const portOf = (url: URL) => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

const hasHeader = ({ headers }: OutgoingRequest, name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name)

const isRedirect = (request: OutgoingRequest, { status, headers }: ResponseHead) =>
  redirectOf(request, status, headers.location) !== null

export function failedHop(url: string, failure: Failure): Hop {
  const dialed = { tried: [], tls: null, ip: null }
  return { href: url, dialed, marks: {}, exchanged: null, failure }
}
