// The OpenAPI 3.0 document, derived from the routes.
import { z } from 'zod'
import { type ErrorBody, statusTexts } from './errors.ts'
import { additionMark } from './fields.ts'
import { isRecord } from './objects.ts'
import { type AnyRoute, defaultBodyLimitBytes, operationId } from './route.ts'
import { appHeader, cookieNameAt, signInCookieName } from './sign-in-cookie.ts'

export type JsonSchema = { [key: string]: unknown }

export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license: { name: string } }
  servers: { url: string }[]
  security: Record<string, string[]>[]
  tags: { name: string }[]
  paths: Record<string, Record<string, JsonSchema>>
  components: Record<string, Record<string, JsonSchema>>
}

/** Markdown: the beginning of /docs. */
const introduction = `Manage checks, alerts, dashboards and status pages of a Vedette server.

## Getting started

1. Take the API key that the server printed at its first start, or create one: \`npx vedette keys create\`.
2. Create a check:

   \`\`\`
   curl -X POST $URL/v1/checks/url -H "Authorization: Bearer $KEY" -H 'content-type: application/json' \\
     -d '{"name": "Home page", "request": {"url": "https://example.com"}, "locations": ["eu-west-1"], "frequency": 5}'
   \`\`\`
3. Run it now: \`POST /v1/check-sessions/trigger\` with \`{"target": {"checkId": ["<id>"]}}\`. The \`checkSessionLink\` of the response
   opens in a browser.
4. Read its results at \`GET /v2/check-results/<id>\`, and create an alert channel with \`POST /v1/alert-channels\`.

## Conventions

- Every request has \`Authorization: Bearer <key>\`, or the cookie of a sign-in if the app sends it. \`x-service-account: <account id>\` chooses the account when a key reaches several.
- Errors are \`{statusCode, error, message, attributes}\`; a 400 names every wrong field in \`attributes\`.
- A PUT changes only the fields that are sent. Nested objects are replaced as a whole, and so are alert channels and status pages.
- A 429 has the header \`Retry-After\`: the seconds to wait before the next request.`

export function openapi(routes: AnyRoute[], options: { serverUrl: string }): OpenApiDocument {
  const components = new Components()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operation(route, components)
    paths[route.path] = operations
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Vedette Public API',
      version: 'v1',
      description: introduction,
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    security: [{ apiKey: [] }, { signIn: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: Authorization: Bearer <key>' },
        signIn: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieNameAt(options.serverUrl, signInCookieName),
          description:
            'The cookie that POST /v1/sign-in sets, for the app. A request that changes something also needs the header ' +
            `${appHeader}: 1, and Sec-Fetch-Site: same-origin or an Origin of this server. Over https, the name begins with __Host-.`,
        },
      },
      headers: {
        ContentRange: {
          description: 'The range of the page and, after the slash, the total: items 0-9/42',
          schema: { type: 'string' },
        },
        RateLimitLimit: { description: 'Requests allowed in a window', schema: { type: 'integer' } },
        RateLimitRemaining: { description: 'Requests left in this window', schema: { type: 'integer' } },
        RateLimitReset: { description: 'Seconds until the window ends', schema: { type: 'integer' } },
        RetryAfter: { description: 'Seconds to wait before the next request', schema: { type: 'integer' } },
        VedetteIgnored: {
          description:
            'Fields of the body and query parameters that were sent and ignored, such as "body.location, query.limt". ' +
            'Names are percent-encoded; a list longer than 1 kB is cut and ends with "...". Fields that the resource ' +
            "has when it is read can be sent back and aren't named.",
          schema: { type: 'string' },
        },
        VedetteWarnings: {
          description:
            "What was accepted although it's probably a mistake, such as a script that doesn't parse. Sentences are " +
            'separated by commas and percent-encoded where needed; a list longer than 1 kB is cut and ends with "...".',
          schema: { type: 'string' },
        },
        PreferenceApplied: {
          description: 'handling=strict, when the request asked for it (RFC 7240)',
          schema: { type: 'string' },
        },
      },
      parameters: {
        Prefer: {
          name: 'Prefer',
          in: 'header',
          required: false,
          description:
            "With handling=strict, fields and query parameters that the server doesn't know are refused with 400 " +
            'instead of being ignored (RFC 7240)',
          schema: { type: 'string', example: 'handling=strict' },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          required: false,
          description:
            'The version that was read: `updated_at` in quotes, or `created_at` if that is null. If the resource has changed ' +
            'since, nothing is written and the response is 412 (RFC 9110)',
          schema: { type: 'string', example: '"2026-11-16T12:00:00.000Z"' },
        },
      },
    },
  }
}

/** The error statuses of a route, besides 5xx. */
export function errorStatuses(route: AnyRoute): number[] {
  const statuses = new Set([400, 429, 431, ...(route.errors ?? []), ...(route.alternativeStatuses ?? [])])
  if (route.access !== 'public') statuses.add(401).add(403)
  if (route.acceptsIfMatch) statuses.add(412)
  // 404 also means an account that the key can't access.
  if (route.params !== undefined || (route.access !== 'public' && route.access !== 'key')) statuses.add(404)
  if (route.body !== undefined || route.streamsBody) statuses.add(413).add(415)
  return [...statuses].sort((a, b) => a - b)
}

function operation(route: AnyRoute, components: Components): JsonSchema {
  const result: JsonSchema = {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
  }
  const notes = [route.description, rateLimitNote(route), accessNote(route), confirmationNote(route)].filter(
    (note) => note !== undefined,
  )
  if (notes.length > 0) result.description = notes.join('\n\n')
  if (route.deprecated) result.deprecated = true
  if (route.access === 'public') result.security = []
  const parameters = [
    ...parametersOf(route, 'path', components),
    ...parametersOf(route, 'query', components),
    ...accountParameter(route),
    ...(route.acceptsIfMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    { $ref: '#/components/parameters/Prefer' },
  ]
  result.parameters = parameters
  if (route.body !== undefined) {
    result.requestBody = {
      required: route.bodyOptional !== true,
      content: {
        'application/json': {
          schema: components.schemaOf(route.documentedBody ?? route.body, 'input'),
          ...(route.example === undefined ? {} : { example: route.example }),
        },
      },
    }
  }
  if (route.streamsBody) {
    const schema = { type: 'string', format: 'binary' }
    result.requestBody = { required: true, content: { 'application/octet-stream': { schema } } }
  }
  result.responses = responsesOf(route, components)
  return result
}

/** Statuses with Retry-After: a session that still runs, too many requests. */
const retryableStatuses = [408, 429]

function responsesOf(route: AnyRoute, components: Components): JsonSchema {
  const limits = {
    'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
    'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
    'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
  }
  const input = {
    'Vedette-Ignored': { $ref: '#/components/headers/VedetteIgnored' },
    'Preference-Applied': { $ref: '#/components/headers/PreferenceApplied' },
  }
  const success: JsonSchema = { description: route.response === undefined ? 'Done; no content' : 'Success' }
  success.headers = {
    ...limits,
    ...input,
    ...(route.body === undefined
      ? {}
      : { 'Vedette-Warnings': { $ref: '#/components/headers/VedetteWarnings' } }),
    ...(route.paged ? { 'Content-Range': { $ref: '#/components/headers/ContentRange' } } : {}),
  }
  const responseOf = (status: number): JsonSchema => {
    const shape = route.documentedResponses?.[status] ?? route.response
    if (shape === undefined) return success
    const schema = components.schemaOf(shape, 'output')
    const mediaType = (route.contentType ?? 'application/json').replace(/;.*/, '')
    return { ...success, content: { [mediaType]: { schema } } }
  }
  const responses: Record<string, JsonSchema> = { [String(route.status)]: responseOf(route.status) }
  for (const status of errorStatuses(route)) {
    if (route.alternativeStatuses?.includes(status)) {
      responses[String(status)] = {
        ...responseOf(status),
        description: statusTexts[status] ?? 'Another outcome',
      }
      continue
    }
    responses[String(status)] = {
      description: status === 413 ? bodyLimitNote(route) : (statusTexts[status] ?? 'Error'),
      headers: {
        ...limits,
        ...(status === 400 ? input : {}),
        ...(retryableStatuses.includes(status)
          ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
          : {}),
      },
      content: {
        'application/json': {
          schema: components.schemaOf(ErrorResponse, 'output'),
          example: errorExample(status),
        },
      },
    }
  }
  return responses
}

const ErrorResponse = z
  .object({
    statusCode: z.int(),
    error: z.string().describe('The name of the status'),
    message: z.string().describe('What is wrong, in words'),
    attributes: z
      .record(z.string(), z.unknown())
      .describe('On a 400: each wrong field and what is wrong with it'),
  })
  .meta({ id: 'Error' })

function errorExample(status: number): ErrorBody {
  const error = statusTexts[status] ?? 'Error'
  if (status !== 400) return { statusCode: status, error, message: error, attributes: {} }
  const attributes = { name: 'is required' }
  return { statusCode: 400, error, message: '"name" is required', attributes }
}

function parametersOf(route: AnyRoute, location: 'path' | 'query', components: Components): JsonSchema[] {
  const fields: Record<string, z.ZodType> = (location === 'path' ? route.params : route.query)?.shape ?? {}
  return Object.entries(fields).map(([name, field]) => {
    const { description, ...rest } = components.schemaOf(field, 'input')
    const parameter: JsonSchema = {
      name,
      in: location,
      required: location === 'path' || !field.safeParse(undefined).success,
      schema: rest,
    }
    if (typeof description === 'string') parameter.description = description
    if (rest.type === 'array') Object.assign(parameter, { style: 'form', explode: true })
    if (rest.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true })
    return parameter
  })
}

function accountParameter(route: AnyRoute): JsonSchema[] {
  if (route.access === 'public') return []
  return [
    {
      name: 'x-service-account',
      in: 'header',
      required: false,
      description: 'The account of the request; can be omitted if the key has access to only one',
      schema: { type: 'string' },
    },
  ]
}

function rateLimitNote(route: AnyRoute): string | undefined {
  if (route.rateLimit === undefined) return undefined
  const { limit, seconds } = route.rateLimit
  // Routes without a key are limited on every plan.
  const where = route.access === 'public' ? '' : ' on plans other than self-hosted'
  return `Limited to ${limit} requests per ${seconds} seconds${where}.`
}

function bodyLimitNote({ bodyLimit = defaultBodyLimitBytes, streamsBody }: AnyRoute): string {
  const name = statusTexts[413] ?? 'Error'
  if (streamsBody) return name
  if (bodyLimit === 'project') return `${name}: more than DEPLOY_BODY_LIMIT_BYTES (64 MB unless changed)`
  if (bodyLimit === 'setting') return `${name}: more than BODY_LIMIT_BYTES (16 MB unless changed)`
  return `${name}: more than ${bodyLimit.toLocaleString('en')} bytes`
}

function accessNote(route: AnyRoute): string | undefined {
  if (route.access === 'public' || route.access === 'key') return undefined
  return `Requires ${route.access} or higher.`
}

function confirmationNote({ needsConfirmation }: AnyRoute): string | undefined {
  if (!needsConfirmation) return undefined
  return 'With the cookie of a sign-in: 403 if the password was entered more than ten minutes ago.'
}

/** Schemas with an id become components; one that differs between input and output gets two. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  private readonly texts = new Map<string, string>()

  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io, unrepresentable: 'any' })
    const { definitions, $schema: _, ...root } = json
    const parts = isRecord(definitions) ? definitions : {}
    const names = new Map<string, string>()
    for (const id of Object.keys(parts)) names.set(id, this.nameFor(id, wholeText(id, parts), io))
    for (const [id, part] of Object.entries(parts)) {
      if (isRecord(part)) this.schemas[names.get(id) ?? id] = tidy(part, names)
    }
    return tidy(root, names)
  }

  private nameFor(id: string, text: string, io: 'input' | 'output'): string {
    const known = this.texts.get(id)
    if (known === undefined) this.texts.set(id, text)
    if (known === undefined || known === text) return id
    return id + (io === 'input' ? 'Body' : 'Read')
  }
}

/** A schema with everything it refers to: schemas with equal text may refer to different parts. */
function wholeText(id: string, parts: JsonSchema, seen = new Set<string>()): string {
  if (seen.has(id)) return ''
  seen.add(id)
  const text = JSON.stringify(parts[id])
  const references = [...text.matchAll(/"#\/definitions\/([^"]+)"/g)].flatMap(([, name]) => name ?? [])
  return text + references.map((name) => wholeText(name, parts, seen)).join('')
}

function tidyValue(value: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => tidyValue(item, names))
  return isRecord(value) ? tidy(value, names) : value
}

/** Makes references point to components, and converts JSON Schema to OpenAPI 3.0. */
function tidy(schema: JsonSchema, names: Map<string, string>): JsonSchema {
  const result: JsonSchema = {}
  for (const [key, item] of Object.entries(schema)) {
    if ((key === 'id' && typeof item === 'string') || key === additionMark) continue
    if (key === 'required' && Array.isArray(item)) {
      const required = item.filter((name) => !isAddition(schema.properties, name))
      if (required.length > 0) result.required = required
      continue
    }
    if (key === 'examples' && Array.isArray(item)) result.example = item[0]
    else if (key === 'default' || key === 'enum' || key === 'example') result[key] = item
    else if (key === '$ref' && typeof item === 'string') {
      const id = item.replace('#/definitions/', '')
      result.$ref = `#/components/schemas/${names.get(id) ?? id}`
    } else result[key] = tidyValue(item, names)
  }
  // In OpenAPI 3.0 an enum without null excludes it, even if `nullable` is true.
  if (result.nullable === true && Array.isArray(result.enum)) result.enum = [...result.enum, null]
  return result
}

function isAddition(properties: unknown, name: string): boolean {
  const field = isRecord(properties) ? properties[name] : undefined
  return isRecord(field) && field[additionMark] === true
}
