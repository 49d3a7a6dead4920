// What a handler gets of a request: parsed with the schemas of its route, and refused if it doesn't fit them.
import {
  type AnyRoute,
  ApiError,
  type BodyOf,
  invalidInput,
  type ParamsOf,
  type QueryOf,
  sendsWholeObjects,
  withAbsentValues,
} from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import type { AccountContext } from './account-context.ts'
import type { AgentCaller } from './agent-caller.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { type IgnoredInput, ignoredInputOf, refuseIgnored } from './ignored-input.ts'
import { parseQuery, shapeParams, shapeQuery } from './query.ts'
import { streamedBody } from './streamed-body.ts'
import { isStorable, refuseUnstorable } from './text.ts'
import { parseOrThrow } from './validate.ts'

export interface Call<R> {
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** The body as a stream; throws on routes without `streamsBody`. */
  bytes: AsyncIterable<Uint8Array>
  /** Throws on routes without an account. */
  account: AccountContext
  /** Throws on public routes. */
  principal: Principal
  /** Null: the route is public, and the request has no valid key. */
  caller: Principal | null
  /** Whether the caller still has the access that the route needs: for responses that take long. */
  isStillAllowed(): Promise<boolean>
  /** Throws on routes that aren't for agents. */
  agent: AgentCaller
  /** Aborted when the client disconnects or the server closes. */
  signal: AbortSignal
  /** Checks for unknown body fields with the schema of another route, if it depends on stored data. */
  judgeFieldsBy(route: AnyRoute): void
  /** Adds a sentence to the response header Vedette-Warnings: accepted, but probably not what was meant. */
  warn(sentence: string): void
  /** Sets a header of the response, unless the handler throws. */
  setHeader(name: string, value: string): void
  /** For routes that need more of the request than its schemas have. */
  request: Pick<FastifyRequest, 'method' | 'protocol' | 'headers' | 'ip' | 'body' | 'url'>
}

export interface PathParams {
  Params: Record<string, string>
}

export type RouteRequest = FastifyRequest<PathParams>

const ignoredByRoute = new WeakMap<AnyRoute, IgnoredInput>()

export function ignoredInput(
  route: AnyRoute,
  readsByPath: ReadonlyMap<string, z.ZodType> | undefined,
): IgnoredInput {
  const readBack = [route.response, readsByPath?.get(route.path)].filter((schema) => schema !== undefined)
  const ignored = ignoredInputOf(route, readBack)
  ignoredByRoute.set(route, ignored)
  return ignored
}

export function readCall(
  route: AnyRoute,
  request: RouteRequest,
  reply: FastifyReply,
  {
    ignored,
    warnings,
    headers,
  }: { ignored: IgnoredInput; warnings: string[]; headers: Record<string, string> },
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
    setHeader(name, value) {
      headers[name] = value
    },
    get bytes() {
      if (!route.streamsBody) throw new Error(`${route.path} doesn't stream its body`)
      return streamedBody(request)
    },
    get account() {
      if (request.account === null) throw new Error(`${route.path} doesn't choose an account`)
      return request.account
    },
    get agent() {
      if (request.agent === null) throw new Error(`${route.path} isn't for agents`)
      return request.agent
    },
    get principal() {
      if (request.principal === null) throw new Error(`${route.path} is public`)
      return request.principal
    },
    caller: request.principal,
    isStillAllowed: () => request.isStillAllowed(),
    get signal() {
      return disconnectSignal(request.server, reply)
    },
    request,
  }
}

function readParams(schema: z.ZodObject, { params }: RouteRequest): Record<string, unknown> {
  for (const [name, text] of Object.entries(params)) {
    if (!isStorable(text)) throw invalidInput([{ path: [name], message: 'must not contain NUL characters' }])
  }
  return parseOrThrow(schema, shapeParams(schema, params))
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
  // JSON's null is a body, which the schema refuses.
  if (body === undefined) {
    if (route.bodyOptional) return parseOrThrow(route.body, {})
    throw new ApiError('invalid_input', {
      message: 'A JSON body is required.',
      attributes: { body: 'is required' },
    })
  }
  // After parsing: unknown fields are ignored, whatever they contain.
  const whole = sendsWholeObjects(request.headers) ? withAbsentValues(route, body) : body
  const parsed = parseOrThrow(route.body, whole)
  refuseUnstorable(parsed)
  return parsed
}
