// What differs between two results of a check, in words for a person on call. Pure. Evidence comes from agents that aren't under
// our control, so every part is checked before it is used.
import { isCodeType, type ResultDifference } from '@vedette/contracts'
import { diffLines } from '../../core/line-diff.ts'
import { compareTests } from './compare-tests.ts'
import type { ComparedResult } from './compared-result.ts'
import { valuesOf } from './result-detail.ts'

type Values = Record<string, unknown>

export function compareResults(before: ComparedResult, after: ComparedResult): ResultDifference[] {
  if (isCodeType(after.checkType)) {
    return [
      ...compareTests(before, after),
      ...compareTimes({ total: before.responseTimeMs }, { total: after.responseTimeMs }),
    ]
  }
  const [old, now] = [observedOf(before), observedOf(after)]
  return [
    ...compareStatus(statusOf(before, old), statusOf(after, now)),
    ...compareAddress(addressOf(old), addressOf(now)),
    ...compareCertificate(old, now),
    ...compareRedirects(old, now),
    ...compareHeaders(headersOf(old), headersOf(now)),
    ...compareBody(bodyOf(old), bodyOf(now)),
    ...compareTimes(phasesOf(old, before), phasesOf(now, after)),
  ]
}

const maxChars = 2_000

function difference(
  kind: ResultDifference['kind'],
  title: string,
  before: string | null,
  after: string | null,
  diff: ResultDifference['diff'] = null,
): ResultDifference {
  const cut = (text: string | null) => text?.slice(0, maxChars) ?? null
  return { kind, title, before: cut(before), after: cut(after), diff }
}

function observedOf({ detail }: ComparedResult): Values {
  return detail?.observed ?? {}
}

const responseOf = (observed: Values): Values => valuesOf(observed.response) ?? {}
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** HTTP and gRPC status, DNS return code, lost packets, the end of a trace; without a response, why there was none. */
function statusOf({ statusCode, failureMessage, detail }: ComparedResult, observed: Values): string | null {
  const response = responseOf(observed)
  const error = textOf(observed.requestError)
  if (error !== null) return `no response: ${error}`
  if (statusCode !== null) return [statusCode, textOf(response.statusText)].filter(Boolean).join(' ')
  if (typeof response.grpcStatusCode === 'number') {
    const health = textOf(response.healthStatusLabel)
    const message = textOf(response.grpcStatusMessage)
    return [`gRPC status ${response.grpcStatusCode}`, health, message].filter(Boolean).join(', ')
  }
  const code = textOf(response.returnCode)
  if (code !== null) return code
  if (typeof response.destinationReached === 'boolean')
    return response.destinationReached ? 'destination reached' : 'destination not reached'
  if (typeof response.packetLoss === 'number') return `${response.packetLoss} % of packets lost`
  return detail === null ? failureMessage : null
}

function compareStatus(before: string | null, after: string | null): ResultDifference[] {
  if (before === after || after === null) return []
  return [
    difference('status', before === null ? `Now: ${after}` : `It was ${before}, now ${after}`, before, after),
  ]
}

function addressOf(observed: Values): string | null {
  return textOf(observed.ip) ?? textOf(responseOf(observed).resolvedIp)
}

function compareAddress(before: string | null, after: string | null): ResultDifference[] {
  if (before === null || after === null || before === after) return []
  return [difference('address', `Another address responded: ${after} instead of ${before}`, before, after)]
}

interface Certificate {
  fingerprint: string
  text: string
  problem: string | null
  connection: string | null
}

function certificateOf(observed: Values): Certificate | null {
  const tls = valuesOf(observed.tls) ?? valuesOf(observed.response)
  const certificate = valuesOf(tls?.certificate)
  const fingerprint = textOf(certificate?.fingerprint256) ?? textOf(certificate?.fingerprintSha256)
  if (tls === null || certificate === null || fingerprint === null) return null
  const validTo = textOf(certificate.validTo) ?? textOf(certificate.notAfter) ?? 'unknown'
  const names = `Subject: ${textOf(certificate.subject) ?? 'none'}\nIssuer: ${textOf(certificate.issuer) ?? 'none'}`
  return {
    fingerprint,
    text: `${names}\nValid until: ${validTo}`,
    problem: textOf(tls.certificateError) ?? textOf(tls.chainTrustReason),
    connection:
      [textOf(tls.protocol), textOf(tls.cipher) ?? textOf(tls.cipherSuite)].filter(Boolean).join(', ') ||
      null,
  }
}

function compareCertificate(old: Values, now: Values): ResultDifference[] {
  const [before, after] = [certificateOf(old), certificateOf(now)]
  if (before === null || after === null) return []
  const differences: ResultDifference[] = []
  if (before.fingerprint !== after.fingerprint)
    differences.push(difference('certificate', 'The server has another certificate', before.text, after.text))
  if (before.problem !== after.problem) {
    const title =
      after.problem === null
        ? 'The certificate is trusted again'
        : `The certificate isn't trusted: ${after.problem}`
    differences.push(
      difference('certificate', title, before.problem ?? 'trusted', after.problem ?? 'trusted'),
    )
  }
  if (before.connection !== after.connection)
    differences.push(
      difference(
        'certificate',
        'The TLS connection has another protocol or cipher',
        before.connection,
        after.connection,
      ),
    )
  return differences
}

const maxRedirects = 20

function redirectsOf({ redirects }: Values): string[] {
  if (!Array.isArray(redirects)) return []
  return redirects.slice(0, maxRedirects).flatMap((one) => {
    const { status, url, location } = valuesOf(one) ?? {}
    return typeof url === 'string' ? [`${status} ${url} → ${location}`] : []
  })
}

function compareRedirects(old: Values, now: Values): ResultDifference[] {
  const [before, after] = [redirectsOf(old), redirectsOf(now)]
  // Without a response, the chain ended early for another reason.
  if (before.join('\n') === after.join('\n') || textOf(now.requestError) !== null) return []
  const title = `${countOf(after.length, 'redirect')} instead of ${before.length}`
  return [
    difference(
      'redirects',
      before.length === after.length ? 'It was redirected to another address' : title,
      before.join('\n'),
      after.join('\n'),
    ),
  ]
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** They differ in every response. */
const volatileHeaders =
  /^(date|age|expires|last-modified|etag|set-cookie|content-length|server-timing|x-runtime|x-response-time|x-timer|via|nel|report-to|alt-svc|cf-ray|cf-cache-status|x-cache.*|x-served-by|x-amz-.*|x-azure-ref|x-vercel-id|x-fastly-.*|traceparent|tracestate|content-security-policy|.*(request|trace|correlation|transaction|span)-?id)$/

const maxHeaders = 100

function headersOf(observed: Values): Map<string, string> {
  const headers = valuesOf(responseOf(observed).headers) ?? {}
  return new Map(
    Object.entries(headers)
      .slice(0, maxHeaders)
      .map(
        ([name, value]) =>
          [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value)] as const,
      )
      .filter(([name]) => !volatileHeaders.test(name)),
  )
}

function compareHeaders(before: Map<string, string>, after: Map<string, string>): ResultDifference[] {
  if (before.size === 0 || after.size === 0) return []
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  const changed = names.filter((name) => before.get(name) !== after.get(name))
  if (changed.length === 0) return []
  const linesOf = (headers: Map<string, string>) =>
    changed.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : [])).join('\n')
  const title =
    changed.length <= 3 ? `Other headers: ${changed.join(', ')}` : `${changed.length} headers differ`
  return [difference('headers', title, linesOf(before), linesOf(after))]
}

/** Body, data, message or records; null: there is none that can be shown as text. */
function bodyOf(observed: Values): string | null {
  const response = responseOf(observed)
  if (response.bodyEncoding === 'base64') return null
  const text = [response.body, response.responseMessage, response.text, response.data].find(
    (one) => typeof one === 'string',
  )
  return typeof text === 'string' ? text : null
}

function compareBody(before: string | null, after: string | null): ResultDifference[] {
  if (before === null || after === null || before === after) return []
  const diff = diffLines(inLines(before), inLines(after))
  if (diff.length === 0) return []
  const count = (change: string) => diff.filter((line) => line.change === change).length
  const title = `The body differs: ${countOf(count('removed'), 'line')} removed, ${count('added')} added`
  return [difference('body', title, before, after, diff)]
}

/** JSON and markup are often a single line. */
function inLines(text: string): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      // Not JSON after all.
    }
  }
  return /^\s*</.test(text) ? text.replaceAll('><', '>\n<') : text
}

type Phases = Record<string, number | null>

function phasesOf(observed: Values, { responseTimeMs }: ComparedResult): Phases {
  const response = responseOf(observed)
  const phases =
    valuesOf(observed.breakdown) ?? valuesOf(observed.timingPhases) ?? valuesOf(response.timingPhases) ?? {}
  const latency = valuesOf(response.latency)?.avg ?? valuesOf(observed.finalHopLatency)?.avg
  const known = Object.entries({
    ...phases,
    latency,
    handshake: observed.handshakeTimeMs,
    total: responseTimeMs,
  })
  return Object.fromEntries(known.flatMap(([name, ms]) => (typeof ms === 'number' ? [[name, ms]] : [])))
}

const phaseNames: Record<string, string> = {
  dns: 'Resolving the name',
  connect: 'Connecting',
  connection: 'Connecting',
  tcp: 'Connecting',
  tls: 'The TLS handshake',
  handshake: 'The TLS handshake',
  send: 'Sending the request',
  wait: 'Waiting for the response',
  firstByte: 'Waiting for the response',
  receive: 'Receiving the response',
  download: 'Receiving the response',
  data: 'Waiting for data',
  agentWait: 'Waiting for the agent',
  latency: 'The round trip',
  total: 'The whole run',
}

const slower = { factor: 2, leastMs: 100 }

function compareTimes(before: Phases, after: Phases): ResultDifference[] {
  return Object.entries(after).flatMap(([name, ms]) => {
    const earlier = before[name] ?? null
    if (ms === null || earlier === null || ms < earlier * slower.factor || ms < earlier + slower.leastMs)
      return []
    const [was, is] = [inMs(earlier), inMs(ms)]
    return [difference('timing', `${phaseNames[name] ?? name} took ${is} instead of ${was}`, was, is)]
  })
}

const inMs = (ms: number) => `${Math.round(ms).toLocaleString('en-US')} ms`
