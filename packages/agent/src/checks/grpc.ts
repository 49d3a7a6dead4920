// A gRPC monitor's run: the health of a server, or one unary call whose definition comes from a proto file or from the
// server's reflection. Reflection and the conversion of messages aren't part of the response time.
import { isIPv6 } from 'node:net'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { certificateFor } from '@vedette/safeguards/client-certificate'
import { renderRequest } from '@vedette/safeguards/template'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import { smallBodyBytes } from '../net/body-budget.ts'
import { deadline } from '../net/deadline.ts'
import { type DialResult, dial } from '../net/dial.ts'
import { addressOf, isFailure } from '../net/failure.ts'
import { type GrpcConnection, type GrpcReply, openGrpc } from '../net/grpc-call.ts'
import { type MetadataItem, requestMetadata, responseMetadata } from '../net/grpc-metadata.ts'
import { reflectService } from '../net/grpc-reflection.ts'
import type { SchemaSource } from '../net/grpc-schema.ts'
import { schemaThreads } from '../net/grpc-schema-thread.ts'
import { describeStatus } from '../net/grpc-status.ts'
import { decodeHealthResponse, encodeHealthRequest, healthLabels, healthPath } from '../net/grpc-wire.ts'
import { between, roundMs } from '../net/timings.ts'
import type { CheckOf, JudgedAssertion, Rendered, RunContext, Runner, TemplateValues } from './runner.ts'

type GrpcSettings = CheckOf<'GRPC'>['request']

type GrpcDetail = Awaited<ReturnType<typeof runGrpc>>['detail']

export const grpcMonitor = {
  type: 'GRPC',
  run: runGrpc,
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
  const { service, method, message, metadata } = grpcConfig
  const texts = { port: `${request.port}`, service, method, message }
  const rendered = renderRequest({ url: request.url, metadata, texts }, { variables })
  if (!rendered.ok) return { failure: rendered.failure }
  const { url, texts: own, metadata: ownMetadata } = rendered.request
  const { port, ...filled } = own
  return {
    request: { ...request, url, port, grpcConfig: { ...grpcConfig, ...filled, metadata: ownMetadata } },
    undefinedText: rendered.undefinedText,
  }
}

async function runGrpc(settings: GrpcSettings, context: RunContext) {
  const monotonic = () => context.clock.monotonic()
  const start = monotonic()
  const waits = context.waits ?? agentWaits(monotonic)
  const waitedBeforeMs = waits.totalMs
  const timeoutMs = (settings.timeout ?? 60) * 1000
  const limit = deadline(context.signal, timeoutMs, waits)
  const remainingMs = () => timeoutMs - (monotonic() - start - (waits.totalMs - waitedBeforeMs))
  const callContext = { ...context, signal: limit.signal, monotonic, waits, remainingMs }
  const progress: GrpcProgress = { port: Number(settings.port) }
  const failure = await converse(settings, progress, callContext)
  limit.clear()
  return observationOf(settings, progress, failure)
}

interface CallContext extends RunContext {
  monotonic(): number
  waits: AgentWaits
  remainingMs(): number
}

/** The progress of a run. */
interface GrpcProgress {
  port: number
  dialed?: DialResult
  reflectionMs?: number
  prepared?: PreparedCall
  callStart?: number
  reply?: GrpcReply
  /** Absent: the call has no message, or it isn't needed. */
  text?: string
  healthStatus?: number
}

/** Returns the failure; null: there is a reply. */
async function converse(
  settings: GrpcSettings,
  progress: GrpcProgress,
  context: CallContext,
): Promise<Failure | null> {
  const { url, grpcConfig } = settings
  const { port } = progress
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return invalidPort(settings.port)
  const metadata = requestMetadata(grpcConfig.metadata)
  if (isFailure(metadata)) return metadata
  const isByReflection = grpcConfig.mode === 'BEHAVIOR' && grpcConfig.serviceDefinition !== 'PROTO_FILE'
  const early = isByReflection
    ? null
    : await prepareCall(settings, { proto: grpcConfig.protoContent ?? '' }, context)
  if (early && isFailure(early)) return early

  const dialed = await dialServer(settings, port, context)
  progress.dialed = dialed
  if (dialed.failure) return dialed.failure
  const address = addressOf(dialed.ip, port)
  const connection = openGrpc(dialed.socket, {
    ...context,
    authority: isIPv6(url) ? `[${url}]:${port}` : `${url}:${port}`,
    isTls: grpcConfig.tls,
    metadata,
    address,
  })
  try {
    const prepared = early ?? (await reflectCall(connection, settings, progress, context))
    if (isFailure(prepared)) return { address, ...prepared }
    progress.prepared = prepared
    progress.callStart = context.monotonic()
    progress.reply = await connection.call(prepared.path, prepared.bytes)
    if (progress.reply.failure) return progress.reply.failure
    const problem = await readReply(settings, prepared, progress, context)
    return problem && { address, ...problem }
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
  return isFailure(encoded) ? encoded : { ...encoded, schema }
}

async function reflectCall(
  connection: GrpcConnection,
  settings: GrpcSettings,
  progress: GrpcProgress,
  context: CallContext,
): Promise<PreparedCall | Failure> {
  const start = context.monotonic()
  const service = (settings.grpcConfig.method ?? '').replace(/^\//, '').replace(/[/.][^/.]*$/, '')
  const files = await reflectService(connection, service)
  progress.reflectionMs = context.monotonic() - start
  return isFailure(files) ? files : prepareCall(settings, { files }, context)
}

async function readReply(
  { grpcConfig }: GrpcSettings,
  { schema }: PreparedCall,
  progress: GrpcProgress,
  context: CallContext,
): Promise<Failure | null> {
  const bytes = progress.reply?.message
  if (progress.reply?.status?.code !== 0 || !bytes) return null
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
  if (isFailure(decoded)) return decoded
  progress.text = decoded.text
  return null
}

const healthLabel = (status: number) => healthLabels[status] ?? `${status}`

function observationOf(settings: GrpcSettings, progress: GrpcProgress, failure: Failure | null) {
  const { dialed, healthStatus = null } = progress
  const timingPhases = phasesOf(progress)
  const response = responseOf(settings, progress, timingPhases)
  return {
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

function requestOf({ url, port, ipFamily, skipSSL, timeout, grpcConfig }: GrpcSettings) {
  const { mode, tls, metadata, service, method, message } = grpcConfig
  return {
    url,
    port,
    ipFamily: ipFamily ?? 'IPv4',
    skipSSL,
    timeout: timeout ?? 60,
    mode,
    tls,
    // Credentials under this name are masked.
    headers: joinMetadata(metadata),
    ...(mode === 'HEALTH'
      ? { service: service ?? '', method: null, message: null }
      : { service: null, method, message: (message ?? '').slice(0, smallBodyBytes) }),
  }
}

function responseOf(
  { url, grpcConfig }: GrpcSettings,
  { reply, dialed, port, prepared, text = '', healthStatus }: GrpcProgress,
  timingPhases: GrpcPhases,
) {
  if (!reply?.status) return null
  return {
    grpcMode: grpcConfig.mode,
    host: url,
    resolvedIp: dialed?.ip ?? '',
    port,
    grpcMethod: prepared?.path.slice(1) ?? '',
    /** JSON. */
    responseMessage: text.slice(0, smallBodyBytes),
    /** It is longer than what is stored. */
    truncated: text.length > smallBodyBytes,
    grpcStatusCode: reply.status.code,
    grpcStatusMessage: reply.status.message,
    healthStatus: healthStatus ?? null,
    healthStatusLabel: healthStatus === undefined ? '' : healthLabel(healthStatus),
    metadata: responseMetadata(reply.headers, reply.trailers),
    discoveredMethods: prepared?.methods ?? [],
    timingPhases,
  }
}

type GrpcPhases = ReturnType<typeof phasesOf>

/** Milliseconds; null: not reached, or not needed. `total` is the time to connect plus the time of the call. */
function phasesOf({ dialed, reply, callStart, reflectionMs }: GrpcProgress) {
  const { socket, lookup, connect, secureConnect } = dialed?.marks ?? {}
  const { response, end } = reply?.marks ?? {}
  const dialMs = between(socket, secureConnect ?? connect)
  const callMs = between(callStart, end)
  return {
    dns: between(socket, lookup),
    tcp: between(lookup, connect),
    tls: between(connect, secureConnect),
    reflection: reflectionMs === undefined ? null : roundMs(reflectionMs),
    firstByte: between(callStart, response),
    download: between(response, end),
    total: dialMs === null || callMs === null ? null : roundMs(dialMs + callMs),
  }
}

/** Joins the values of a key that occurs several times. */
function joinMetadata(items: readonly MetadataItem[]): Record<string, string> {
  const byKey = [...Map.groupBy(items, ({ key }) => key)]
  return Object.fromEntries(byKey.map(([key, same]) => [key, same.map(({ value }) => value).join(', ')]))
}

function subjectsOf(
  response: NonNullable<ReturnType<typeof responseOf>>,
  { text, healthStatus }: GrpcProgress,
): Record<string, Subject> {
  const { total } = response.timingPhases
  return {
    ...(total !== null && { RESPONSE_TIME: { kind: 'number', value: total } as const }),
    GRPC_STATUS_CODE: { kind: 'number', value: response.grpcStatusCode },
    GRPC_METADATA: { kind: 'named', values: joinMetadata(response.metadata) },
    ...(healthStatus !== undefined && {
      GRPC_HEALTHCHECK_STATUS: { kind: 'number', value: healthStatus } as const,
    }),
    ...(text !== undefined && messageSubjects(text)),
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
