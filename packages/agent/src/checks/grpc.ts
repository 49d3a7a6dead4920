// A gRPC monitor's run: the health of a server, or one unary call whose definition comes from a proto file or from the
// server's reflection. Reflection and the conversion of messages aren't part of the response time.
import { isIPv6 } from 'node:net'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { certificateFor } from '@vedette/safeguards/client-certificate'
import { renderRequest } from '@vedette/safeguards/template'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import { smallBodyBytes } from '../net/body-budget.ts'
import { deadline } from '../net/deadline.ts'
import { type Attempt, type DialResult, dial } from '../net/dial.ts'
import { addressOf, isFailure } from '../net/failure.ts'
import { type GrpcConnection, type GrpcReply, openGrpc } from '../net/grpc-call.ts'
import { type MetadataItem, requestMetadata, responseMetadata } from '../net/grpc-metadata.ts'
import { reflectService } from '../net/grpc-reflection.ts'
import type { SchemaSource } from '../net/grpc-schema.ts'
import { schemaThreads } from '../net/grpc-schema-thread.ts'
import { describeStatus } from '../net/grpc-status.ts'
import { decodeHealthResponse, encodeHealthRequest, healthLabels, healthPath } from '../net/grpc-wire.ts'
import { between, roundMs } from '../net/timings.ts'
import type { TlsFacts } from '../net/tls.ts'
import type { CheckOf, JudgedAssertion, Rendered, RunContext, Runner, TemplateValues } from './runner.ts'

type GrpcSettings = CheckOf<'GRPC'>['request']

interface GrpcDetail {
  request: {
    url: string
    port: GrpcSettings['port']
    ipFamily: 'IPv4' | 'IPv6'
    skipSSL: boolean
    timeout: number
    mode: 'BEHAVIOR' | 'HEALTH'
    tls: boolean
    /** The metadata. Credentials under this name are masked. */
    headers: Record<string, string>
    service: string | null
    method: string | null
    message: string | null
  }
  response: GrpcResponse | null
  grpcStatusCode: number | null
  healthStatus: number | null
  timingPhases: GrpcPhases
  requestError: string | null
  ip: string | null
  tried: Attempt[]
  tls: TlsFacts | null
}

interface GrpcResponse {
  grpcMode: 'BEHAVIOR' | 'HEALTH'
  host: string
  resolvedIp: string
  port: number
  grpcMethod: string
  /** JSON. */
  responseMessage: string
  /** It is longer than what is stored. */
  truncated: boolean
  grpcStatusCode: number
  grpcStatusMessage: string
  healthStatus: number | null
  healthStatusLabel: string
  metadata: MetadataItem[]
  discoveredMethods: string[]
  timingPhases: GrpcPhases
}

/** Milliseconds; null: not reached, or not needed. `reflection` isn't part of `total`. */
type GrpcPhases = Record<
  'dns' | 'tcp' | 'tls' | 'reflection' | 'firstByte' | 'download' | 'total',
  number | null
>

export const grpcMonitor = {
  type: 'GRPC',
  run: ({ settings }, context) => runGrpc(settings, context),
  uses: ['bodies', 'clientCertificates'],
  metrics({ responseTimeMs, detail }) {
    const phases = detail?.timingPhases
    return {
      responseTime: responseTimeMs,
      dns: phases?.dns,
      tcp: phases?.tcp,
      tls: phases?.tls,
      firstByte: phases?.firstByte,
      download: phases?.download,
    }
  },
  target: ({ url, port }) => ({ host: url, port: Number(port) || null }),
  render: renderGrpc,
  failureOf: statusFailure,
  certificate: ({ tls }) => tls?.certificate,
} satisfies Runner<'GRPC', GrpcDetail>

/** Values are inserted without URL encoding. */
function renderGrpc(request: GrpcSettings, { variables }: TemplateValues): Rendered<GrpcSettings> {
  const { grpcConfig } = request
  const nameOf = ({ key }: MetadataItem, index: number) => `metadata ${index + 1} (${key})`
  const metadata = grpcConfig.metadata.map((item, index) => [nameOf(item, index), item.value])
  const { service, method, message } = grpcConfig
  const rendered = renderRequest(
    {
      url: request.url,
      texts: {
        port: `${request.port}`,
        ...(service !== null && { service }),
        ...(method !== null && { method }),
        ...(message !== null && { message }),
        ...Object.fromEntries(metadata),
      },
    },
    { variables },
  )
  if (!rendered.ok) return { failure: rendered.failure }
  const { url, texts } = rendered.request
  const filled = {
    service: texts.service ?? null,
    method: texts.method ?? null,
    message: texts.message ?? null,
    metadata: grpcConfig.metadata.map((item, index) => ({
      ...item,
      value: texts[nameOf(item, index)] ?? '',
    })),
  }
  const ownRequest = { ...request, url, port: texts.port ?? '', grpcConfig: { ...grpcConfig, ...filled } }
  return { request: ownRequest, undefinedText: rendered.undefinedText }
}

async function runGrpc(settings: GrpcSettings, context: RunContext): Promise<Observation<GrpcDetail>> {
  const { clock } = context
  const startedAt = clock.now()
  const start = clock.monotonic()
  const monotonic = () => clock.monotonic()
  const waits = context.waits ?? agentWaits(monotonic)
  const waitedBeforeMs = waits.totalMs
  const timeoutMs = (settings.timeout ?? 60) * 1000
  const limit = deadline(context.signal, timeoutMs, waits)
  const remainingMs = () => timeoutMs - (monotonic() - start - (waits.totalMs - waitedBeforeMs))
  const progress = await converse(settings, {
    ...context,
    signal: limit.signal,
    monotonic,
    waits,
    remainingMs,
  })
  limit.clear()
  return observe(settings, progress, { startedAt, durationMs: roundMs(monotonic() - start) })
}

interface CallContext extends RunContext {
  monotonic(): number
  waits: AgentWaits
  remainingMs(): number
}

/** The progress of a run. */
interface GrpcProgress {
  port: number
  dialed: DialResult | null
  methods: string[]
  reflectionMs: number | null
  callStart: number | null
  path: string
  reply: GrpcReply | null
  /** Null: there is no message, or it isn't needed. */
  text: string | null
  healthStatus: number | null
  failure: Failure | null
}

const notStarted: Omit<GrpcProgress, 'port'> = {
  dialed: null,
  methods: [],
  reflectionMs: null,
  callStart: null,
  path: '',
  reply: null,
  text: null,
  healthStatus: null,
  failure: null,
}

async function converse(settings: GrpcSettings, context: CallContext): Promise<GrpcProgress> {
  const { url, grpcConfig } = settings
  const port = Number(settings.port)
  const progress: GrpcProgress = { port, ...notStarted }
  const fail = (failure: Failure): GrpcProgress => ({ ...progress, failure })
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return fail(invalidPort(settings.port))
  const metadata = requestMetadata(grpcConfig.metadata)
  if (isFailure(metadata)) return fail(metadata)
  const isByReflection = grpcConfig.mode === 'BEHAVIOR' && grpcConfig.serviceDefinition !== 'PROTO_FILE'
  const early = isByReflection
    ? null
    : await prepareCall(settings, { proto: grpcConfig.protoContent ?? '' }, context)
  if (early && isFailure(early)) return fail(early)

  const dialed = await dialServer(settings, port, context)
  progress.dialed = dialed
  if (dialed.failure) return fail(dialed.failure)
  const address = addressOf(dialed.ip, port)
  const connection = openGrpc(dialed.socket, {
    authority: isIPv6(url) ? `[${url}]:${port}` : `${url}:${port}`,
    isTls: grpcConfig.tls,
    userAgent: context.userAgent,
    metadata,
    signal: context.signal,
    monotonic: context.monotonic,
    remainingMs: context.remainingMs,
    address,
    waits: context.waits,
    ...(context.bodyBudget && { bodyBudget: context.bodyBudget }),
  })
  try {
    const prepared = early ?? (await reflectCall(connection, settings, progress, context))
    if (isFailure(prepared)) return fail({ address, ...prepared })
    progress.path = prepared.path
    progress.methods = prepared.methods
    progress.callStart = context.monotonic()
    progress.reply = await connection.call(prepared.path, prepared.bytes)
    if (progress.reply.failure) return fail(progress.reply.failure)
    const problem = await readReply(settings, prepared, progress, context)
    return problem ? fail({ address, ...problem }) : progress
  } finally {
    connection.close()
  }
}

function invalidPort(port: GrpcSettings['port']): Failure {
  const message = `The port "${`${port}`.slice(0, 100)}" isn't a number from 1 to 65535.`
  return { kind: 'protocol', message, phase: 'setup', code: 'INVALID_PORT' }
}

function dialServer(settings: GrpcSettings, port: number, context: CallContext): Promise<DialResult> {
  const { url: host, ipFamily, skipSSL, grpcConfig } = settings
  const clientCertificate = certificateFor(host, context.clientCertificates ?? [])
  const tls = { verify: !skipSSL, alpn: ['h2'], clientCertificate }
  return dial({ host, port, ipFamily: ipFamily ?? 'IPv4', ...(grpcConfig.tls && { tls }) }, context)
}

interface PreparedCall {
  path: string
  bytes: Uint8Array
  methods: string[]
  /** Null: a health check, whose messages are known. */
  schema: SchemaSource | null
}

async function prepareCall(
  { grpcConfig }: GrpcSettings,
  schema: SchemaSource,
  context: CallContext,
): Promise<PreparedCall | Failure> {
  if (grpcConfig.mode === 'HEALTH') {
    const bytes = encodeHealthRequest(grpcConfig.service ?? '')
    return { path: healthPath, bytes, methods: [], schema: null }
  }
  const { method, message } = grpcConfig
  const encoded = await schemaThreads.run(
    { kind: 'encode', schema, method: method ?? '', message: message ?? '' },
    context,
  )
  if (encoded.kind !== 'encoded') return failureIn(encoded)
  return { ...encoded, schema }
}

/** A thread returns the result of another kind of task only by a mistake. */
function failureIn(result: Failure | { kind: 'encoded' | 'decoded' }): Failure {
  return 'phase' in result
    ? result
    : { kind: 'internal', message: 'The schema thread returned an unexpected result.', phase: 'setup' }
}

async function reflectCall(
  connection: GrpcConnection,
  settings: GrpcSettings,
  progress: GrpcProgress,
  context: CallContext,
): Promise<PreparedCall | Failure> {
  const start = context.monotonic()
  const service = (settings.grpcConfig.method ?? '').replace(/^\//, '').replace(/[/.][^/.]*$/, '')
  const { files, failure } = await reflectService(connection, service)
  progress.reflectionMs = context.monotonic() - start
  return failure ?? prepareCall(settings, { files }, context)
}

async function readReply(
  { grpcConfig }: GrpcSettings,
  { schema }: PreparedCall,
  progress: GrpcProgress,
  context: CallContext,
): Promise<Failure | null> {
  const { message: bytes, status } = progress.reply ?? { message: null, status: null }
  if (status?.code !== 0 || bytes === null) return null
  if (schema === null) {
    try {
      progress.healthStatus = decodeHealthResponse(bytes)
    } catch {
      const message = "The response message isn't a valid grpc.health.v1.HealthCheckResponse."
      return { kind: 'protocol', message, phase: 'receive', code: 'UNDECODABLE_MESSAGE' }
    }
    progress.text = JSON.stringify({ status: healthLabel(progress.healthStatus) })
    return null
  }
  const decoded = await schemaThreads.run(
    { kind: 'decode', schema, method: grpcConfig.method ?? '', bytes },
    context,
  )
  if (decoded.kind !== 'decoded') return failureIn(decoded)
  progress.text = decoded.text
  return null
}

const healthLabel = (status: number) => healthLabels[status] ?? `${status}`

function observe(
  settings: GrpcSettings,
  progress: GrpcProgress,
  times: { startedAt: number; durationMs: number },
): Observation<GrpcDetail> {
  const { failure, dialed, healthStatus } = progress
  const timingPhases = phasesOf(progress)
  const response = responseOf(settings, progress, timingPhases)
  return {
    ...times,
    responseTimeMs: failure ? null : timingPhases.total,
    failure,
    detail: {
      request: requestOf(settings),
      response,
      grpcStatusCode: response?.grpcStatusCode ?? null,
      healthStatus,
      timingPhases,
      requestError: failure?.message ?? null,
      ip: dialed?.ip ?? null,
      tried: dialed?.tried ?? [],
      tls: dialed?.tls ?? null,
    },
    subjects: !failure && response ? subjectsOf(response, progress) : {},
  }
}

function requestOf(settings: GrpcSettings): GrpcDetail['request'] {
  const { url, port, ipFamily, skipSSL, timeout, grpcConfig } = settings
  const { mode, tls, metadata, service, method, message } = grpcConfig
  return {
    url,
    port,
    ipFamily: ipFamily ?? 'IPv4',
    skipSSL,
    timeout: timeout ?? 60,
    mode,
    tls,
    headers: joinMetadata(metadata),
    ...(mode === 'HEALTH'
      ? { service: service ?? '', method: null, message: null }
      : { service: null, method, message: (message ?? '').slice(0, smallBodyBytes) }),
  }
}

function responseOf(
  { url, grpcConfig }: GrpcSettings,
  { reply, dialed, port, path, text, methods, healthStatus }: GrpcProgress,
  timingPhases: GrpcPhases,
): GrpcResponse | null {
  if (!reply?.status) return null
  return {
    grpcMode: grpcConfig.mode,
    host: url,
    resolvedIp: dialed?.ip ?? '',
    port,
    grpcMethod: path.slice(1),
    responseMessage: (text ?? '').slice(0, smallBodyBytes),
    truncated: (text ?? '').length > smallBodyBytes,
    grpcStatusCode: reply.status.code,
    grpcStatusMessage: reply.status.message,
    healthStatus,
    healthStatusLabel: healthStatus === null ? '' : healthLabel(healthStatus),
    metadata: responseMetadata(reply.headers, reply.trailers),
    discoveredMethods: methods,
    timingPhases,
  }
}

/** `total` is the time to connect plus the time of the call. */
function phasesOf({ dialed, reply, callStart, reflectionMs }: GrpcProgress): GrpcPhases {
  const { socket, lookup, connect, secureConnect } = dialed?.marks ?? {}
  const { response, end } = reply?.marks ?? {}
  const dialMs = between(socket, secureConnect ?? connect)
  const callMs = between(callStart, end)
  return {
    dns: between(socket, lookup),
    tcp: between(lookup, connect),
    tls: between(connect, secureConnect),
    reflection: reflectionMs === null ? null : roundMs(reflectionMs),
    firstByte: between(callStart, response),
    download: between(response, end),
    total: dialMs === null || callMs === null ? null : roundMs(dialMs + callMs),
  }
}

/** Joins the values of a key that occurs several times. */
function joinMetadata(items: readonly MetadataItem[]): Record<string, string> {
  const joined = new Map<string, string>()
  for (const { key, value } of items) {
    const known = joined.get(key)
    joined.set(key, known === undefined ? value : `${known}, ${value}`)
  }
  return Object.fromEntries(joined)
}

function subjectsOf(response: GrpcResponse, { text, healthStatus }: GrpcProgress): Record<string, Subject> {
  const { total } = response.timingPhases
  return {
    ...(total !== null && { RESPONSE_TIME: { kind: 'number', value: total } as const }),
    GRPC_STATUS_CODE: { kind: 'number', value: response.grpcStatusCode },
    GRPC_METADATA: { kind: 'named', values: joinMetadata(response.metadata) },
    ...(healthStatus !== null && {
      GRPC_HEALTHCHECK_STATUS: { kind: 'number', value: healthStatus } as const,
    }),
    ...(text !== null && messageSubjects(text)),
  }
}

/** A large message is parsed by the judge, on another thread. */
function messageSubjects(text: string): Record<string, Subject> {
  if (text.length <= smallBodyBytes) {
    return {
      TEXT_BODY: { kind: 'text', value: text },
      GRPC_RESPONSE: { kind: 'json', value: JSON.parse(text) },
    }
  }
  const undecoded = { kind: 'undecoded', bytes: Buffer.from(text), contentType: 'application/json' } as const
  return { TEXT_BODY: { ...undecoded, as: 'text' }, GRPC_RESPONSE: { ...undecoded, as: 'json' } }
}

/** A status other than OK or a health other than SERVING fails, unless an assertion on it decides. */
function statusFailure(
  { shouldFail }: { shouldFail?: boolean },
  { detail }: Observation<GrpcDetail>,
  assertions: readonly JudgedAssertion[],
): Failure | null {
  const { response } = detail
  const isAsserted = (name: string) => assertions.some(({ source }) => source === name)
  if (shouldFail === true || !response) return null
  const { grpcStatusCode: code, grpcStatusMessage: message, healthStatus, healthStatusLabel } = response
  if (code !== 0 && !isAsserted('GRPC_STATUS_CODE')) {
    const text = `Expected the gRPC status 0 OK, but it was ${describeStatus({ code, message })}.`
    return { kind: 'status', message: text, phase: 'judge', code: `${code}` }
  }
  if (healthStatus !== null && healthStatus !== 1 && !isAsserted('GRPC_HEALTHCHECK_STATUS')) {
    const text = `Expected the health status SERVING, but it was ${healthStatusLabel}.`
    return { kind: 'status', message: text, phase: 'judge', code: healthStatusLabel }
  }
  return null
}
