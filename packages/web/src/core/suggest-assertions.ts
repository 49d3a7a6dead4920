// Assertions that a response suggests: a few that are usually wanted, and one for every value in it.
import type { ShownResult } from '../api/types.ts'
import { networkEvidence } from './read-run.ts'

export interface SuggestedAssertion {
  source: string
  property: string
  comparison: string
  target: string
  regex: string
}

export interface ObservedValue {
  /** As it is called in the response: `$.items[0].id`, `content-type`. */
  name: string
  /** Cut, for people. */
  shown: string
  assertion: SuggestedAssertion
}

export interface Observed {
  usual: readonly SuggestedAssertion[]
  /** By the source that they come from. */
  groups: readonly { title: string; values: readonly ObservedValue[] }[]
}

const maxValues = 150
const maxChars = 80

const assertionOf = (
  source: string,
  comparison: string,
  target: unknown,
  property = '',
): SuggestedAssertion => ({
  ...{ source, property, comparison, target: String(target), regex: '' },
})

export function observe(result: ShownResult): Observed {
  const { apiCheckResult } = result
  if (apiCheckResult?.response) return observeHttp(result, apiCheckResult.response)
  const response = networkEvidence(result)?.response
  if (response == null) return { usual: [], groups: [] }
  return observeNetwork(result.checkType, response, result.responseTime ?? null)
}

function observeHttp(
  { checkType, responseTime }: ShownResult,
  response: {
    status: number
    headers: Readonly<Record<string, unknown>>
    body: string
    bodyEncoding?: string
  },
): Observed {
  const status = assertionOf('STATUS_CODE', 'EQUALS', response.status)
  if (checkType === 'URL') return { usual: [status], groups: [] }
  const type = headerOf(response.headers, 'content-type').split(';')[0] ?? ''
  const json = response.bodyEncoding === 'base64' ? undefined : parseJson(response.body)
  const title = /<title[^>]*>([^<]{1,200})/i.exec(response.body)?.[1]?.trim()
  return {
    usual: [
      status,
      ...(type === '' ? [] : [assertionOf('HEADERS', 'CONTAINS', type, 'content-type')]),
      ...timeLimit('RESPONSE_TIME', responseTime),
      ...(json === undefined && title ? [assertionOf('TEXT_BODY', 'CONTAINS', title)] : []),
      ...usualOfJson('JSON_BODY', json),
    ],
    groups: [
      { title: 'Headers', values: namedValues('HEADERS', response.headers) },
      ...(json === undefined ? [] : [{ title: 'JSON body', values: jsonValues('JSON_BODY', json) }]),
    ].filter(({ values }) => values.length > 0),
  }
}

type Response = Readonly<Record<string, unknown>>

function observeNetwork(type: string, response: Response, responseTime: number | null): Observed {
  const time = timeLimit('RESPONSE_TIME', responseTime)
  const json = (title: string, source: string, value: unknown) => ({
    title,
    values: jsonValues(source, value),
  })
  switch (type) {
    case 'TCP': {
      const data = typeof response.data === 'string' ? response.data.trim() : ''
      const [line = ''] = data.split('\n')
      return {
        usual: [
          ...(line === '' ? [] : [assertionOf('RESPONSE_DATA', 'CONTAINS', cut(line.trim()))]),
          ...time,
        ],
        groups: [],
      }
    }
    case 'DNS':
      return {
        usual: [assertionOf('RESPONSE_CODE', 'EQUALS', response.returnCode ?? 'NOERROR'), ...time],
        groups: [json('Response', 'JSON_ANSWER', response.answer)],
      }
    case 'ICMP': {
      const { avg } = Object(response.latency)
      return {
        usual: timeLimit('LATENCY', avg, 'avg'),
        groups: [json('Response', 'JSON_RESPONSE', withoutLists(response))],
      }
    }
    case 'GRPC':
      return {
        usual: [
          assertionOf('GRPC_STATUS_CODE', 'EQUALS', response.grpcStatusCode ?? 0),
          ...(typeof response.healthStatus === 'number'
            ? [assertionOf('GRPC_HEALTHCHECK_STATUS', 'EQUALS', response.healthStatus)]
            : []),
          ...time,
        ],
        groups: [json('Message', 'GRPC_RESPONSE', messageOf(response))],
      }
    case 'SSL': {
      const certificate = Object(response.certificate)
      return {
        usual: [
          assertionOf('CERTIFICATE', 'GREATER_THAN', 14, 'daysUntilExpiry'),
          assertionOf('CONNECTION', 'EQUALS', response.protocol, 'tlsVersion'),
          assertionOf('CONNECTION', 'EQUALS', 'true', 'chainTrusted'),
        ],
        groups: [
          {
            title: 'Certificate',
            values: namedValues(
              'CERTIFICATE',
              pick(certificate, [
                'subjectCN',
                'issuerCN',
                'keyAlgorithm',
                'keySizeBits',
                'signatureAlgorithm',
                'serialNumber',
                'fingerprintSha256',
              ]),
            ),
          },
          {
            title: 'Connection',
            values: namedValues('CONNECTION', {
              tlsVersion: response.protocol,
              ...pick(response, ['cipherSuite', 'hostnameVerified', 'chainTrusted', 'resolvedIp']),
            }),
          },
        ],
      }
    }
    case 'TRACEROUTE':
      return {
        usual: [
          ...(typeof response.totalHops === 'number'
            ? [assertionOf('HOP_COUNT', 'LESS_THAN', response.totalHops + 5)]
            : []),
          ...timeLimit('RESPONSE_TIME', responseTime, 'avg'),
        ],
        groups: [],
      }
    default:
      return { usual: [], groups: [] }
  }
}

/** Twice as long as now, rounded up to a figure that people would choose. */
function timeLimit(source: string, ms: unknown, property = ''): SuggestedAssertion[] {
  if (typeof ms !== 'number' || ms <= 0) return []
  const twice = ms * 2
  const step = 10 ** Math.floor(Math.log10(twice))
  const limit = [1, 2, 5, 10].map((factor) => factor * step).find((value) => value >= twice) ?? twice
  return [assertionOf(source, 'LESS_THAN', Math.max(10, Math.ceil(limit)), property)]
}

/** Something that says that the content is right: a list that isn't empty, or a flag. */
function usualOfJson(source: string, json: unknown): SuggestedAssertion[] {
  if (Array.isArray(json)) return json.length > 0 ? [assertionOf(source, 'GREATER_THAN', 0, '$.length')] : []
  const entries = Object.entries(typeof json === 'object' && json !== null ? json : {})
  const list = entries.find(([, value]) => Array.isArray(value) && value.length > 0)
  const flag = entries.find(
    ([name, value]) => value === true || (/^(status|state)$/i.test(name) && typeof value === 'string'),
  )
  return [
    ...(list === undefined ? [] : [assertionOf(source, 'GREATER_THAN', 0, `${pathOf('$', list[0])}.length`)]),
    ...(flag === undefined ? [] : [assertionOf(source, 'EQUALS', flag[1], pathOf('$', flag[0]))]),
  ]
}

function namedValues(source: string, values: Response): ObservedValue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    return [{ name, shown: cut(text), assertion: assertionOf(source, 'EQUALS', text, name) }]
  })
}

function jsonValues(source: string, json: unknown): ObservedValue[] {
  return leavesOf(json, '$')
    .slice(0, maxValues)
    .map(({ path, value }) => ({
      name: path,
      shown: cut(JSON.stringify(value)),
      assertion:
        value === null
          ? assertionOf(source, 'IS_NULL', '', path)
          : assertionOf(source, 'EQUALS', value, path),
    }))
}

type Leaf = { path: string; value: string | number | boolean | null }

/** Of long lists, the first items. */
function leavesOf(json: unknown, path: string): Leaf[] {
  if (Array.isArray(json))
    return json.slice(0, 20).flatMap((item, index) => leavesOf(item, `${path}[${index}]`))
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([name, value]) => leavesOf(value, pathOf(path, name)))
  const isLeaf = json === null || ['string', 'number', 'boolean'].includes(typeof json)
  return isLeaf ? [{ path, value: json as Leaf['value'] }] : []
}

function pathOf(parent: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${parent}.${name}` : `${parent}[${JSON.stringify(name)}]`
}

function headerOf(headers: Response, name: string): string {
  return String(Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '')
}

function messageOf({ responseMessage }: Response): unknown {
  return typeof responseMessage === 'string' ? parseJson(responseMessage) : undefined
}

function pick(values: Response, names: readonly string[]): Response {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

function withoutLists(values: Response): Response {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !Array.isArray(value)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function cut(text: string): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`
}
