// Puts a contract route and its handler together: parses what comes in, strips what goes out.
import {
  type AnyRoute,
  ApiError,
  type BodyOf,
  errorCatalog,
  type IsPaged,
  invalidInput,
  type Page,
  type PagedQuery,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import type { AccountContext } from './account-context.ts'
import type { AgentCaller } from './agent-caller.ts'
import { documentedStatus } from './documented-status.ts'
import { hangUpSignal } from './hang-up.ts'
import { type IgnoredInput, ignoredInputOf, refuseIgnored } from './ignored-input.ts'
import { encodeSentence, listHeader } from './list-header.ts'
import { describeMissing } from './not-found.ts'
import { projector } from './project.ts'
import { parseQuery, shapeParams, shapeQuery } from './query.ts'
import { ReadyBytes } from './ready-bytes.ts'
import { StoredFile, sendFile } from './stored-file.ts'
import { leaveRest, streamedBody } from './streamed-body.ts'
import { isStorable, refuseUnstorable } from './text.ts'
import { urlOf } from './url.ts'
import { parseOrThrow } from './validate.ts'

export interface Call<R> {
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** The body as it comes; throws on all but the routes that stream it. */
  bytes: AsyncIterable<Uint8Array>
  /** Throws on routes that choose no account. */
  account: AccountContext
  /** Throws on public routes. */
  principal: Principal
  /** Throws on all but the routes of agents. */
  agent: AgentCaller
  /** Aborted when the caller hangs up or the server closes: whoever waits for something stops. */
  signal: AbortSignal
  /** Judges the fields of the body by the schemas of another route, where they depend on what is stored. */
  judgeFieldsBy(route: AnyRoute): void
  /** Adds a sentence to the response header Vedette-Warnings: accepted, but probably not what was meant. */
  warn(sentence: string): void
  /** How it was asked, for routes that keep that as evidence. */
  asked: Pick<FastifyRequest, 'method' | 'protocol' | 'headers' | 'ip' | 'body'>
}

export type Answer<R> =
  IsPaged<R> extends true ? (ResponseOf<R> extends (infer T)[] ? Page<T> : never) : ResponseOf<R>

/** What the query of a paged route holds, defaults included. */
type PageQuery = z.output<typeof PagedQuery>

export interface Mounted {
  route: AnyRoute
  run(call: Call<AnyRoute>): Promise<unknown>
}

export function handle<R extends AnyRoute>(
  route: R,
  run: (call: Call<R>) => Promise<Answer<R> | Answered<Answer<R>> | StoredFile | ReadyBytes>,
): Mounted {
  return { route, run: run as Mounted['run'] }
}

/** An answer with one of the statuses that its route has in `alternativeStatuses`. */
export class Answered<T> {
  readonly status: number
  readonly body: T
  constructor(status: number, body: T) {
    this.status = status
    this.body = body
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    account: AccountContext | null
    agent: AgentCaller | null
  }
  interface FastifyContextConfig {
    contract?: AnyRoute
    /** Answers 405: the path has no such method. */
    isRefusal?: boolean
  }
}

export interface MountOptions {
  /** Parse every answer with its schema, and fail on a difference or an undocumented status: on in tests. */
  checkAnswers: boolean
  /** The responses of GET routes by path: clients send back what they read there. */
  readsByPath?: ReadonlyMap<string, z.ZodType>
}

export function mount(app: FastifyInstance, { route, run }: Mounted, options: MountOptions): void {
  const ignoresBody = route.ignoresBody === true || hasNoBody(route)
  const project = route.response === undefined ? undefined : projector(route.response)
  const ignored = ignoredInput(route, options)
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const warnings: string[] = []
    const call = readCall(route, request, reply, { ignored, warnings })
    const given = await run(call).catch((error: unknown) => {
      throw withSubject(error, route, request)
    })
    const warned = listHeader([...new Set(warnings)].map(encodeSentence))
    if (warned !== null) reply.header('vedette-warnings', warned)
    if (given instanceof StoredFile) return sendFile(request, reply, given)
    const { status, body: answer } = given instanceof Answered ? given : new Answered(route.status, given)
    reply.code(status)
    if (route.headers !== undefined) reply.headers(route.headers)
    if (ignoresBody) leaveBody(request, reply)
    if (given instanceof ReadyBytes)
      return reply.type('application/json; charset=utf-8').send(await given.choose(request, reply))
    if (project === undefined) return reply.send()
    const value = project(
      route.paged ? sendRange(reply, call.query as PageQuery, answer as Page<unknown>) : answer,
    )
    if (options.checkAnswers) checkAnswer(route, value)
    if (route.contentType !== undefined) return reply.type(route.contentType).send(value)
    // Serialised here: the projection has fixed what leaves, and JSON.stringify is as fast as generated code.
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
  }
  app.route({
    method: route.method,
    url: urlOf(route.path),
    config: { contract: route },
    ...(ignoresBody ? { onRequest: handler } : {}),
    ...(route.streamsBody ? { onRequest: handler, onError: leaveRest } : {}),
    ...(options.checkAnswers ? { onSend: documentedStatus(route) } : {}),
    handler,
  })
}

/** Some clients send a content type, or an empty object, with every POST; a GET's body is never read. */
function hasNoBody({ method, body, streamsBody }: AnyRoute): boolean {
  return method !== 'GET' && body === undefined && streamsBody !== true
}

const skippedBodyBytes = 64 * 1024

/** Node reads on and throws away; what is longer than that is cut off with its connection. */
function leaveBody({ headers }: FastifyRequest, reply: FastifyReply): void {
  const isChunked = headers['transfer-encoding'] !== undefined
  if (isChunked || Number(headers['content-length'] ?? 0) > skippedBodyBytes)
    reply.header('connection', 'close')
}

const ignoredByRoute = new WeakMap<AnyRoute, IgnoredInput>()

function ignoredInput(route: AnyRoute, { readsByPath }: Pick<MountOptions, 'readsByPath'>): IgnoredInput {
  const readBack = [route.response, readsByPath?.get(route.path)].filter((schema) => schema !== undefined)
  const ignored = ignoredInputOf(route, readBack)
  ignoredByRoute.set(route, ignored)
  return ignored
}

function readCall(
  route: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  { ignored, warnings }: { ignored: IgnoredInput; warnings: string[] },
): Call<AnyRoute> {
  const read = () => ({
    params: route.params === undefined ? {} : readParams(route.params, request),
    query: route.query === undefined ? {} : readQuery(route.query, request),
    body: readBody(route, request),
  })
  // Agents of another release may know more fields than this server.
  if (route.access !== 'agent') refuseIgnored(ignored.judge(request, reply), read)
  return {
    ...read(),
    judgeFieldsBy(other) {
      refuseIgnored(ignoredByRoute.get(other)?.judge(request, reply) ?? [], () => undefined)
    },
    warn(sentence) {
      warnings.push(sentence)
    },
    get bytes() {
      if (!route.streamsBody) throw new Error(`${route.path} streams no body`)
      return streamedBody(request)
    },
    get account() {
      if (request.account === null) throw new Error(`${route.path} chooses no account`)
      return request.account
    },
    get agent() {
      if (request.agent === null) throw new Error(`${route.path} is not for agents`)
      return request.agent
    },
    get principal() {
      if (request.principal === null) throw new Error(`${route.path} is public`)
      return request.principal
    },
    get signal() {
      return hangUpSignal(request.server, reply)
    },
    asked: request,
  }
}

function readParams(schema: z.ZodObject, request: FastifyRequest): Record<string, unknown> {
  const raw = request.params as Record<string, string>
  for (const [name, text] of Object.entries(raw)) {
    if (!isStorable(text)) throw invalidInput([{ path: [name], message: 'must not hold NUL characters' }])
  }
  return parseOrThrow(schema, shapeParams(schema, raw))
}

function readQuery(schema: z.ZodObject, request: FastifyRequest): Record<string, unknown> {
  const mark = request.url.indexOf('?')
  if (mark === -1) return parseOrThrow(schema, {})
  const parsed = parseOrThrow(schema, shapeQuery(schema, parseQuery(request.url.slice(mark + 1))))
  refuseUnstorable(parsed)
  return parsed
}

function readBody(route: AnyRoute, request: FastifyRequest): unknown {
  if (route.body === undefined) return undefined
  const { body } = request
  // JSON's null is a body: the schema refuses it where an object is documented.
  if (body === undefined) {
    if (route.bodyOptional) return parseOrThrow(route.body, {})
    throw new ApiError('invalid_input', {
      message: 'A JSON body is required.',
      attributes: { body: 'is required' },
    })
  }
  // Judged after parsing: fields that nobody knows are ignored, whatever they hold.
  const parsed = parseOrThrow(route.body, body)
  refuseUnstorable(parsed)
  return parsed
}

function sendRange(
  reply: FastifyReply,
  { limit, page }: PageQuery,
  { items, total }: Page<unknown>,
): unknown[] {
  const first = (page - 1) * limit
  const range = items.length === 0 ? '*' : `${first}-${first + items.length - 1}`
  reply.header('content-range', `items ${range}/${total}`)
  return items
}

function checkAnswer(route: AnyRoute, value: unknown): void {
  const plain: unknown = route.contentType === undefined ? JSON.parse(JSON.stringify(value)) : value
  const parsed = route.response?.safeParse(plain)
  if (parsed?.success === false) {
    throw new Error(
      `${route.method} ${route.path} answers off its contract: ${z.prettifyError(parsed.error)}`,
    )
  }
}

/** A 404 without words of its own names what the path asked for. */
function withSubject(error: unknown, route: AnyRoute, { params }: FastifyRequest): unknown {
  if (!(error instanceof ApiError) || error.code !== 'not_found') return error
  const isPlain = error.message === errorCatalog.not_found.message
  const message = isPlain ? describeMissing(route, params) : null
  return message === null ? error : new ApiError('not_found', { message, attributes: error.attributes })
}

/** What was looked up, or a 404. */
export function orNotFound<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new ApiError('not_found')
  return value
}
