// What an assertion expected, and what it got, as parts of a sentence.

export interface Assertion {
  source: string
  comparison: string
  property?: string | undefined
  target?: string | undefined
  error?: string | undefined
  actual?: unknown
}

const maxChars = 120

function cutText(text: string, chars = maxChars): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`
}

/** `status 200`, `response time less than 500 ms`, `$.items.length greater than 0`. */
export function expectationOf(assertion: Assertion): string {
  const { source, property = '', comparison, target = '' } = assertion
  const subject = subjects[source]?.(cutText(property)) ?? `${source} ${property}`.trim()
  const value = source === 'RESPONSE_TIME' || source === 'LATENCY' ? `${target} ms` : quote(cutText(target))
  return `${subject} ${comparisons[comparison]?.(value) ?? `${comparison} ${value}`}`.trim()
}

/** Null: nothing was observed that could be shown. */
export function actualOf({ actual, source }: Assertion): string | null {
  if (actual === undefined) return null
  if (typeof actual === 'number' && (source === 'RESPONSE_TIME' || source === 'LATENCY'))
    return `${Math.round(actual)} ms`
  return typeof actual === 'string' ? quote(cutText(actual)) : cutText(String(JSON.stringify(actual)))
}

/** `expected status 200, got 503` */
export function failedAssertionInWords(assertion: Assertion): string {
  const actual = actualOf(assertion)
  const got = actual === null ? (assertion.error ?? 'there was nothing to compare') : `got ${actual}`
  return `expected ${expectationOf(assertion)}, ${got}`
}

const quote = (target: string) => (/^-?\d+(\.\d+)?$/.test(target) || target === '' ? target : `“${target}”`)

const subjects: Record<string, (property: string) => string> = {
  STATUS_CODE: () => 'status',
  RESPONSE_TIME: () => 'response time',
  JSON_BODY: (path) => (path === '' ? 'JSON body' : path),
  TEXT_BODY: (pattern) => (pattern === '' ? 'body' : `match of ${pattern} in the body`),
  HEADERS: (name) => (name === '' ? 'headers' : `header ${name}`),
  RESPONSE_DATA: () => 'response data',
  RESPONSE_CODE: () => 'response code',
  TEXT_ANSWER: () => 'DNS answer',
  JSON_ANSWER: (path) => (path === '' ? 'DNS answer' : path),
  LATENCY: (which) => `${which === '' ? 'average' : which} latency`,
  JSON_RESPONSE: (path) => (path === '' ? 'response' : path),
  TEXT_RESPONSE: () => 'response',
  CERTIFICATE: (property) => `certificate ${property}`.trim(),
  CONNECTION: (property) => `connection ${property}`.trim(),
  GRPC_STATUS_CODE: () => 'gRPC status',
  GRPC_HEALTHCHECK_STATUS: () => 'health status',
  GRPC_RESPONSE: (path) => (path === '' ? 'response message' : path),
  GRPC_METADATA: (key) => `metadata ${key}`.trim(),
  HOP_COUNT: () => 'number of hops',
  PACKET_LOSS: () => 'packet loss',
}

const comparisons: Record<string, (target: string) => string> = {
  EQUALS: (target) => target,
  NOT_EQUALS: (target) => `other than ${target}`,
  HAS_KEY: (target) => `with the key ${target}`,
  NOT_HAS_KEY: (target) => `without the key ${target}`,
  HAS_VALUE: (target) => `with the value ${target}`,
  NOT_HAS_VALUE: (target) => `without the value ${target}`,
  IS_EMPTY: () => 'to be empty',
  NOT_EMPTY: () => 'not to be empty',
  GREATER_THAN: (target) => `greater than ${target}`,
  LESS_THAN: (target) => `less than ${target}`,
  CONTAINS: (target) => `containing ${target}`,
  NOT_CONTAINS: (target) => `without ${target}`,
  IS_NULL: () => 'to be null',
  NOT_NULL: () => 'not to be null',
}
