// Mounts a route of the contracts with its handler: parses the request, calls the handler, reduces the response to its schema.
import {
  type AnyRoute,
  ApiError,
  errorCatalog,
  type IsPaged,
  type Page,
  type ResponseOf,
} from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ReadyBytes } from '../../core/ready-bytes.ts'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import type { AccountContext } from './account-context.ts'
import type { AgentCaller } from './agent-caller.ts'
import { type Call, ignoredInput, type PathParams, type RouteRequest, readCall } from './call.ts'
import { checkStatus } from './documented-status.ts'
import { EventStream } from './event-stream.ts'
import { encodeSentence, listHeader } from './list-header.ts'
import { describeMissing } from './not-found.ts'
import { projector } from './project.ts'
import { StoredFile, sendFile } from './stored-file.ts'
import { drainRest } from './streamed-body.ts'

export type HandlerResult<R> =
  IsPaged<R> extends true ? (ResponseOf<R> extends (infer T)[] ? Page<T> : never) : ResponseOf<R>

export interface Mounted {
  route: AnyRoute
  run(call: Call<AnyRoute>): Promise<unknown>
}

export function handle<R extends AnyRoute>(
  route: R,
  run: (
    call: Call<R>,
  ) => Promise<
    HandlerResult<R> | ResponseWithStatus<HandlerResult<R>> | StoredFile | ReadyBytes | EventStream
  >,
): Mounted {
  // `mount` parses each call with the schemas of the same route, which the compiler can't relate to R.
  return { route, run: run as Mounted['run'] }
}

/** A response with one of the statuses that its route has in `alternativeStatuses`. */
export class ResponseWithStatus<T> {
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
    /** Whether the caller still has the role that the route needs; for long responses. */
    isStillAllowed(): Promise<boolean>
  }
  interface FastifyContextConfig {
    contract?: AnyRoute
    /** Responds with 405: the path doesn't have this method. */
    isRefusal?: boolean
    /** A file of the app: a screen loads dozens of them, and many people may share an address. */
    isAppFile?: boolean
  }
}

/** A handler that is about to run, and its request. */
export interface Work {
  call: Call<AnyRoute>
  request: Pick<FastifyRequest, 'id' | 'headers' | 'ip'>
  run(): Promise<unknown>
}

interface ChangeLog {
  record(route: AnyRoute, work: Work): Promise<unknown>
}

export interface MountOptions {
  /** Parse every response with its schema, and fail on a difference or an undocumented status: on in tests. */
  checkResponses: boolean
  /** The responses of GET routes by path: clients send back what they read there. */
  readsByPath?: ReadonlyMap<string, z.ZodType>
  /** Absent: changes aren't recorded. */
  audit?: ChangeLog
  /** Told of all that runs. */
  onWork?(work: Promise<unknown>): void
}

export function mount(app: FastifyInstance, { route, run }: Mounted, options: MountOptions): void {
  const ignoresBody = route.ignoresBody === true || hasNoBody(route)
  const project = route.response === undefined ? undefined : projector(route.response)
  const ignored = ignoredInput(route, options.readsByPath)
  const handler = async (request: RouteRequest, reply: FastifyReply) => {
    const warnings: string[] = []
    const headers: Record<string, string> = {}
    const call = readCall(route, request, reply, { ignored, warnings, headers })
    const work = { call, request, run: () => run(call) }
    const running = options.audit === undefined ? run(call) : options.audit.record(route, work)
    options.onWork?.(running)
    const result = await running.catch((error: unknown) => {
      throw withSubject(error, route, request)
    })
    const warned = listHeader([...new Set(warnings)].map(encodeSentence))
    if (warned !== null) reply.header('vedette-warnings', warned)
    reply.headers(headers)
    if (result instanceof StoredFile) return sendFile(request, reply, result)
    if (result instanceof EventStream)
      return result.send(reply, (data) => options.checkResponses && checkResponse(route, data))
    const { status, body } =
      result instanceof ResponseWithStatus ? result : new ResponseWithStatus(route.status, result)
    reply.code(status)
    if (route.headers !== undefined) reply.headers(route.headers)
    if (ignoresBody) skipBody(request, reply)
    if (result instanceof ReadyBytes)
      return reply.type('application/json; charset=utf-8').send(await result.choose(request, reply))
    if (project === undefined) return reply.send()
    const value = project(route.paged ? itemsOf(body, call.query, reply) : body)
    if (options.checkResponses) checkResponse(route, value)
    if (route.contentType !== undefined) return reply.type(route.contentType).send(value)
    // The projection has chosen the fields, and JSON.stringify is as fast as Fastify's generated serializers.
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
  }
  app.route<PathParams>({
    method: route.method,
    url: routerPath(route.path),
    config: { contract: route },
    ...(ignoresBody ? { onRequest: handler } : {}),
    ...(route.streamsBody ? { onRequest: handler, onError: drainRest } : {}),
    ...(options.checkResponses ? { onSend: checkStatus(route) } : {}),
    handler,
  })
}

/** Some clients send a content type or an empty object with every POST. */
function hasNoBody({ method, body, streamsBody }: AnyRoute): boolean {
  return method !== 'GET' && body === undefined && streamsBody !== true
}

const skippedBodyBytes = 64 * 1024

/** Node reads and discards the rest of a short body; for a longer one the connection is closed. */
function skipBody({ headers }: FastifyRequest, reply: FastifyReply): void {
  const isChunked = headers['transfer-encoding'] !== undefined
  if (isChunked || Number(headers['content-length'] ?? 0) > skippedBodyBytes)
    reply.header('connection', 'close')
}

/** The items of a page, after setting the header that says which ones they are. */
function itemsOf(body: unknown, query: Record<string, unknown>, reply: FastifyReply): unknown[] {
  if (!isPage(body)) throw new Error('The handler of a paged route must return a Page')
  const { items, total } = body
  const first = (Number(query.page) - 1) * Number(query.limit)
  const range = items.length === 0 ? '*' : `${first}-${first + items.length - 1}`
  reply.header('content-range', `items ${range}/${total}`)
  return items
}

function isPage(value: unknown): value is Page<unknown> {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)
}

function checkResponse(route: AnyRoute, value: unknown): void {
  const plain: unknown = route.contentType === undefined ? JSON.parse(JSON.stringify(value)) : value
  const parsed = route.response?.safeParse(plain)
  if (parsed?.success === false) {
    throw new Error(
      `${route.method} ${route.path} responds with another shape than its contract: ${z.prettifyError(parsed.error)}`,
    )
  }
}

/** A 404 without its own message names the resource of the path. */
function withSubject(error: unknown, route: AnyRoute, { params }: RouteRequest): unknown {
  if (!(error instanceof ApiError) || error.code !== 'not_found') return error
  const isPlain = error.message === errorCatalog.not_found.message
  const message = isPlain ? describeMissing(route, params) : null
  return message === null ? error : new ApiError('not_found', { message, attributes: error.attributes })
}

/** A path of the contracts in the syntax of the router: {id} -> :id. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
