// A route is data, used by the server, the OpenAPI document and the client.
import type { z } from 'zod'
import type { Role } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RateLimit {
  limit: number
  seconds: number
}

/** Body limit of routes that don't set another one. */
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
  /**
   * What a caller needs: a role in the chosen account, any key or sign-in ('key': no account is chosen), an agent's key, or
   * nothing.
   */
  access: Role | 'key' | 'public' | 'agent'
  params?: P
  query?: Q
  body?: B
  /** The body in the document, if what `body` accepts depends on stored data. */
  documentedBody?: z.ZodType
  /** The body can be omitted; then all its fields are absent. */
  bodyOptional?: boolean
  status: number
  /** Absent: no content. */
  response?: R
  /** A `limit`/`page` list: the handler returns a Page, the response is an array with Content-Range. */
  paged?: L
  /** Fixed headers of the response. */
  headers?: Record<string, string>
  /** Media type of the response; JSON when absent. */
  contentType?: string
  /** Error statuses beyond 400, 401, 403, 404 (when there are path parameters) and 429. */
  errors?: readonly number[]
  /** Statuses besides `status` with a response of the same shape, such as the 503 of a trigger. */
  alternativeStatuses?: readonly number[]
  /** The responses in the document by status, if `response` is one of several shapes. */
  documentedResponses?: Record<number, z.ZodType>
  rateLimit?: RateLimit
  /**
   * Largest body after decompression: 1 MB when absent, 'setting' for as much as BODY_LIMIT_BYTES allows, 'project' for a
   * whole project (DEPLOY_BODY_LIMIT_BYTES).
   */
  bodyLimit?: number | 'setting' | 'project'
  /** Also accepts a Prometheus token of an account. */
  acceptsMetricsToken?: boolean
  /** On public routes: the handler limits the rate, once it knows the owner of the secret in the path. */
  isLimitedByHandler?: boolean
  /** On public routes: no rate limit, since counting needs the database and the response must not wait for it. */
  isUnlimited?: boolean
  /** On public routes: the response sets the cookie of a sign-in, so requests that other sites make are refused. */
  startsSignIn?: boolean
  /** On public routes: a key or sign-in isn't needed, but the handler responds to it. */
  knowsCaller?: boolean
  /** By a sign-in whose password was entered too long ago: 403 until it is entered again. */
  needsConfirmation?: boolean
  /** Computes something from its body. It isn't recorded in the audit log. */
  changesNothing?: boolean
  /** Accepts If-Match with the version that was read: `updated_at`, or `created_at` until the first change. Otherwise 412. */
  acceptsIfMatch?: boolean
  /** The response doesn't wait for the body. */
  ignoresBody?: boolean
  /** The body is passed to the handler as a stream of bytes; the handler enforces limits. */
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

/** Such as getV1ChecksId: client generators use it as a name. */
export function operationId(route: Pick<AnyRoute, 'method' | 'path'>): string {
  const words = route.path
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
  return route.method.toLowerCase() + words.join('')
}
