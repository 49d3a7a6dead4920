// Parses the stored detail of a run for the rules. Agents of any version wrote it, so unexpected values count as absent.
import { failureKinds, failurePhases } from '@vedette/contracts'
import { z } from 'zod'
import { errorTextOf } from './error-text.ts'
import { type JsonShape, jsonShapeOf } from './json-shape.ts'

const text = z.string().nullable().catch(null)
const number = z.number().nullable().catch(null)
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((all) => all.flatMap((one) => parseOrNull(item, one) ?? []))

function parseOrNull<T extends z.ZodType>(schema: T, value: unknown): z.output<T> | null {
  const result = schema.safeParse(value)
  return result.success ? result.data : null
}

const FailureFact = z.object({
  kind: z.enum(failureKinds).catch('internal'),
  message: z.string().catch(''),
  phase: z.enum(failurePhases).catch('setup'),
  address: z.string().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
})

const Tried = z.object({ address: z.string(), failure: FailureFact.nullable().catch(null) })

const Observed = z.object({
  request: z.looseObject({ method: text, url: text, hostname: text, port: number }).nullable().catch(null),
  response: z.looseObject({}).nullable().catch(null),
  nameServerInfo: z.object({ name: text, host: text }).nullable().catch(null),
  ip: text,
  tried: list(Tried),
  tls: z
    .object({
      protocol: text,
      certificateError: text,
      certificateErrors: list(z.string()),
      certificate: z
        .object({
          subject: z.string().catch(''),
          issuer: z.string().catch(''),
          altNames: list(z.string()),
          validFrom: z.string().catch(''),
          validTo: z.string().catch(''),
          fingerprint256: z.string().catch(''),
        })
        .nullable()
        .catch(null),
    })
    .nullable()
    .catch(null),
  breakdown: z.record(z.string(), number).catch({}),
  timingPhases: z.record(z.string(), number).catch({}),
})

const HttpResponse = z.object({
  status: z.number(),
  statusText: z.string().catch(''),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).catch({}),
  body: z.string().catch(''),
  bodyEncoding: text,
  truncated: z.boolean().catch(false),
  timingPhases: z.record(z.string(), number).catch({}),
})

const DnsResponse = z.object({
  returnCode: z.string(),
  answer: z.object({ Answer: list(z.object({ type: z.string(), data: z.string() })) }),
})

const PingResponse = z.object({ packetLoss: z.number(), resolvedIp: text })

const Diagnostics = z.object({
  resolvers: list(
    z.object({ server: z.string(), type: z.string(), code: z.string(), addresses: list(z.string()) }),
  ),
  ipv4Fallback: z
    .object({ works: z.boolean(), tried: list(Tried) })
    .nullable()
    .catch(null),
  traceroute: z
    .object({ reached: z.boolean(), hops: list(z.object({ ttl: z.number(), address: text })) })
    .nullable()
    .catch(null),
})

const Detail = z.object({
  failure: FailureFact.nullable().catch(null),
  assertions: list(
    z.looseObject({
      source: z.string(),
      property: z.string().catch(''),
      comparison: z.string().catch(''),
      target: z.string().catch(''),
      error: z.string().optional().catch(undefined),
    }),
  ),
  observed: z.unknown().optional(),
  /** Per phase; code runs have one list. */
  jobLog: z
    .union([z.array(z.unknown()).transform((run) => ({ run })), z.record(z.string(), z.unknown())])
    .pipe(z.record(z.string(), list(z.object({ msg: z.string(), level: z.string() }))))
    .catch({}),
  diagnostics: z.unknown().optional(),
})

interface ResponseFacts
  extends Pick<z.output<typeof HttpResponse>, 'status' | 'statusText' | 'headers' | 'truncated'> {
  /** Null: the body is truncated or isn't JSON. */
  shape: JsonShape | null
  beginning: string
  /** The error that the body of a failing run states. */
  errorText: string | null
}

export interface RunFacts {
  failure: z.output<typeof FailureFact> | null
  assertions: z.output<typeof Detail>['assertions']
  request: { method: string; url: string } | null
  target: { host: string; port: number | null } | null
  response: ResponseFacts | null
  dns: { returnCode: string; records: string[]; server: string | null } | null
  ping: z.output<typeof PingResponse> | null
  /** The address that responded, or that failed last. */
  address: string | null
  tried: z.output<typeof Tried>[]
  tls: z.output<typeof Observed>['tls']
  /** More detailed than on the wire: with tls, send and wait. */
  breakdown: Record<string, number | null>
  timingPhases: Record<string, number | null>
  log: Record<string, { msg: string; level: string }[]>
  diagnostics: z.output<typeof Diagnostics> | null
}

/** Null: no detail is stored. */
export function readRunFacts(detailText: string | null): RunFacts | null {
  const detail = parseOrNull(Detail, parseJson(detailText))
  if (detail === null) return null
  const observed = parseOrNull(Observed, detail.observed)
  const response = parseOrNull(HttpResponse, observed?.response)
  const dns = parseOrNull(DnsResponse, observed?.response)
  const ping = parseOrNull(PingResponse, observed?.response)
  const url = observed?.request?.url ?? null
  return {
    failure: detail.failure,
    assertions: detail.assertions,
    request: url === null ? null : { method: observed?.request?.method ?? 'GET', url },
    target: targetOf(observed?.request ?? null),
    response: response && responseFacts(response, detail.failure !== null),
    dns: dns && {
      returnCode: dns.returnCode,
      records: dns.answer.Answer.map(({ type, data }) => `${type} ${data}`).sort(),
      server: observed?.nameServerInfo?.name ?? observed?.nameServerInfo?.host ?? null,
    },
    ping,
    address:
      observed?.ip ??
      ping?.resolvedIp ??
      hostPart(detail.failure?.address ?? observed?.tried.at(-1)?.address),
    tried: observed?.tried ?? [],
    tls: observed?.tls ?? null,
    breakdown: observed?.breakdown ?? {},
    timingPhases: response?.timingPhases ?? observed?.timingPhases ?? {},
    log: detail.jobLog,
    diagnostics: parseOrNull(Diagnostics, detail.diagnostics),
  }
}

const keptChars = 2_000

/** Bodies are compared by their shape; of their values only the error text of a failing response is kept. */
function responseFacts(response: z.output<typeof HttpResponse>, isFailing: boolean): ResponseFacts {
  const { status, statusText, headers, truncated, body, bodyEncoding } = response
  const shape = truncated || bodyEncoding !== null ? null : jsonShapeOf(body)
  const contentType = headerText(headers, 'content-type')
  const errorText =
    isFailing && bodyEncoding === null ? errorTextOf({ status, contentType, body, truncated }) : null
  return { status, statusText, headers, truncated, shape, beginning: body.slice(0, keptChars), errorText }
}

function headerText(headers: ResponseFacts['headers'], name: string): string {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return [value ?? ''].flat().join(', ')
}

function targetOf(request: { url: string | null; hostname: string | null; port: number | null } | null) {
  if (request?.hostname) return { host: request.hostname, port: request.port }
  if (!request?.url || !URL.canParse(request.url)) return null
  const url = new URL(request.url)
  return { host: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

/** `192.0.2.1:443` and `[2001:db8::1]:443` without the port. */
export function hostPart(address: string | undefined): string | null {
  if (address === undefined || address === '') return null
  const bracketed = /^\[(.*)\]/.exec(address)?.[1]
  if (bracketed !== undefined) return bracketed
  return address.split(':').length === 2 ? (address.split(':')[0] ?? null) : address
}

function parseJson(given: string | null): unknown {
  try {
    return given === null ? null : JSON.parse(given)
  } catch {
    return null
  }
}
