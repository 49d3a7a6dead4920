// Builds the request from a check's settings, and the next request from a redirect.
import type { Failure } from '@vedette/contracts'
import { parseJson } from '../core/parse-json.ts'
import { basicAuth, credentialsIn, hideCredentials } from './basic-auth.ts'

export interface RequestSettings {
  method: string
  url: string
  body: string
  bodyType: 'JSON' | 'FORM' | 'RAW' | 'GRAPHQL' | 'NONE'
  headers: readonly { key: string; value: string }[]
  queryParameters: readonly { key: string; value: string }[]
  basicAuth: { username: string; password: string } | null
}

export interface OutgoingRequest {
  method: string
  url: URL
  headers: Record<string, string | string[]>
  body: string | null
}

const contentTypes = {
  JSON: 'application/json',
  GRAPHQL: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  RAW: null,
  NONE: null,
} satisfies Record<RequestSettings['bodyType'], string | null>

export function buildRequest(settings: RequestSettings, userAgent: string): OutgoingRequest | Failure {
  const url = parseHttpUrl(settings.url)
  if (!url) return invalidUrl(settings.url)
  const body = bodyOf(settings)
  const contentType = contentTypes[settings.bodyType]
  const authorization = authorizationOf(settings, url)
  url.username = ''
  url.password = ''
  url.hash = ''
  const query = settings.queryParameters
    .map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&')
  // Appended as text, so that the query of the URL isn't encoded again.
  if (query !== '') url.search = url.search.length > 1 ? `${url.search}&${query}` : query
  const headers = mergeHeaders(
    {
      'user-agent': userAgent,
      accept: '*/*',
      'accept-encoding': 'gzip, deflate',
      ...(body !== null && contentType && { 'content-type': contentType }),
      ...(authorization && { authorization }),
    },
    settings.headers,
  )
  return { method: settings.method, url, headers, body }
}

const maxUrlLength = 16_384

function parseHttpUrl(text: string, base?: URL): URL | null {
  const url = text.length > maxUrlLength ? null : URL.parse(text, base?.href)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null
}

function invalidUrl(text: string): Failure {
  const message = `"${hideCredentials(text).slice(0, 200)}" isn't a valid http or https URL.`
  return { kind: 'protocol', message, phase: 'setup', code: 'INVALID_URL' }
}

function bodyOf({ body, bodyType }: RequestSettings): string | null {
  if (bodyType === 'NONE') return null
  return bodyType === 'GRAPHQL' ? graphqlBody(body) : body
}

// choice: a query is wrapped; a whole GraphQL request with variables is sent unchanged.
function graphqlBody(body: string): string {
  // A query isn't JSON.
  const parsed = parseJson(body)
  const isWhole = typeof parsed === 'object' && parsed !== null && 'query' in parsed
  return isWhole ? body : JSON.stringify({ query: body })
}

function authorizationOf(settings: RequestSettings, url: URL): string | null {
  const { username, password } = settings.basicAuth ?? credentialsIn(url) ?? { username: '', password: '' }
  return username === '' && password === '' ? null : basicAuth(username, password)
}

/** Set by the agent only: with two lengths, some servers would see two requests. */
const framing = ['content-length', 'transfer-encoding']

/** The user's headers replace the defaults, regardless of case. A name that occurs twice is sent twice. */
function mergeHeaders(
  defaults: Record<string, string>,
  given: RequestSettings['headers'],
): OutgoingRequest['headers'] {
  if (given.length === 0) return defaults
  const merged = new Map(Object.entries(defaults).map(([name, value]) => [name, { name, values: [value] }]))
  const seen = new Set<string>()
  for (const { key, value } of given) {
    const id = key.toLowerCase()
    if (framing.includes(id)) continue
    const known = seen.has(id) ? merged.get(id) : undefined
    if (known) known.values.push(value)
    else merged.set(id, { name: key, values: [value] })
    seen.add(id)
  }
  const single = (values: string[]) => (values.length === 1 && values[0] !== undefined ? values[0] : values)
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, single(values)]))
}

/** The next request; null: the response isn't a redirect. */
export function redirectOf(
  { method, url, headers, body }: OutgoingRequest,
  status: number,
  location: string | undefined,
): OutgoingRequest | Failure | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null
  const next = parseHttpUrl(location, url)
  if (!next) return badRedirect(location)
  next.username = ''
  next.password = ''
  next.hash = ''
  const becomesGet =
    (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')
  const dropped = [
    ...(becomesGet ? ['content-type', 'content-encoding', 'content-language', 'content-location'] : []),
    ...(keepsTrust(url, next) ? [] : ['authorization', 'cookie', 'proxy-authorization', 'host']),
  ]
  const kept = Object.entries(headers).filter(([name]) => !dropped.includes(name.toLowerCase()))
  return {
    method: becomesGet ? 'GET' : method,
    url: next,
    headers: Object.fromEntries(kept),
    body: becomesGet ? null : body,
  }
}

/** The same host and port, and no downgrade from https to http. */
function keepsTrust(from: URL, to: URL): boolean {
  return from.host === to.host && !(from.protocol === 'https:' && to.protocol === 'http:')
}

function badRedirect(location: string): Failure {
  const message = `The response redirects to "${hideCredentials(location).slice(0, 200)}", which isn't a valid http or https URL.`
  return { kind: 'redirect', message, phase: 'receive', code: 'INVALID_REDIRECT' }
}
