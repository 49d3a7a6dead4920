// A route is plain data, read by the server's mount, the OpenAPI document and the client.
import type { z } from 'zod'
import type { Role } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RateLimit {
  limit: number
  seconds: number
}

/** Largest body of a route that states no other limit. */
export const defaultBodyLimitBytes = 1024 * 1024

export interface Route<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  L extends boolean = boolean,
> {
  method: Method
  /** `{name}` marks a path parameter. */
  path: string
  /** One word or two: the resource, as the reference groups it. */
  tag: string
  summary: string
  description?: string
  /** Who may call it: a role in the chosen account, any key ('key': no account is chosen), an agent's key, or anyone. */
  access: Role | 'key' | 'public' | 'agent'
  params?: P
  query?: Q
  body?: B
  /** What the document shows, where what `body` accepts depends on what is stored. */
  documentedBody?: z.ZodType
  /** The body may be left out (its fields are then all absent). */
  bodyOptional?: boolean
  status: number
  /** Absent: no content. */
  response?: R
  /** A `limit`/`page` list: the handler returns a Page, the answer is an array with Content-Range. */
  paged?: L
  /** Fixed headers of the answer. */
  headers?: Record<string, string>
  /** Media type of a text answer; JSON when absent. */
  contentType?: string
  /** Error statuses beyond 400, 401, 403, 404 (when there are path parameters) and 429. */
  errors?: readonly number[]
  /** Statuses beyond the usual one with an answer of the same shape: a trigger's 503. */
  alternativeStatuses?: readonly number[]
  /** What the document shows by status, where `response` is one of several shapes. */
  documentedResponses?: Record<number, z.ZodType>
  rateLimit?: RateLimit
  /** Largest body after decompression: 1 MB when absent, 'setting' for as much as BODY_LIMIT_BYTES allows. */
  bodyLimit?: number | 'setting'
  /** Besides keys, a Prometheus token of an account opens it. */
  acceptsMetricsToken?: boolean
  /** On public routes: the handler counts calls, once it knows whom the secret in the path belongs to. */
  isLimitedByHandler?: boolean
  /** On public routes: calls aren't counted, since counting needs the store, which the answer must not wait for. */
  isUnlimited?: boolean
  /** Answered before a body is read, whatever is in it. */
  ignoresBody?: boolean
  /** The body is bytes of any kind, handed on as they come; the handler counts and judges them. */
  streamsBody?: boolean
  deprecated?: boolean
  /** An example body that the route accepts; a test parses it. */
  example?: unknown
}

export function route<
  P extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodVoid,
  L extends boolean = false,
>(definition: Route<P, Q, B, R, L>): Route<P, Q, B, R, L> {
  return definition
}

export type AnyRoute = Route
export type ParamsOf<R> = R extends { params?: infer P } ? z.output<Extract<P, z.ZodType>> : never
export type QueryOf<R> = R extends { query?: infer Q } ? z.output<Extract<Q, z.ZodType>> : never
export type BodyOf<R> = R extends { body?: infer B } ? z.output<Extract<B, z.ZodType>> : never
export type ResponseOf<R> = R extends { response?: infer S } ? z.output<Extract<S, z.ZodType>> : never
export type IsPaged<R> = R extends { paged?: infer L } ? L : false

/** getV1ChecksId, the style of names that clients generate from. */
export function operationId(route: Pick<AnyRoute, 'method' | 'path'>): string {
  const words = route.path
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
  return route.method.toLowerCase() + words.join('')
}
