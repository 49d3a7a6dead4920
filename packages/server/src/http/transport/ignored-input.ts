// Lists the fields and parameters that the server ignores, and refuses them if the client prefers strict handling.
import { type AnyRoute, ApiError, type FieldIssue, invalidInput } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { encodePath, listHeader } from './list-header.ts'
import { prefersStrict } from './prefer.ts'
import { parseQuery } from './query.ts'
import { fieldsOf, innerSchema, type Schema } from './schema-parts.ts'
import { FieldTree, nearestName, type UnknownField } from './unknown-fields.ts'

const strict = 'handling=strict'

export interface IgnoredInput {
  /** Sets the headers; returns what strict handling refuses. */
  judge(request: FastifyRequest, reply: FastifyReply): FieldIssue[]
}

/**
 * `readBack`: schemas of what clients read and may send back. Their fields are dropped on purpose (an id, a time of
 * creation), so they are neither listed nor refused.
 */
export function ignoredInputOf(route: AnyRoute, readBack: readonly z.ZodType[]): IgnoredInput {
  const tree = route.body === undefined ? null : new FieldTree([route.body, ...readBack])
  const fields = route.query === undefined ? [] : fieldsOf(route.query)
  const known = new Set(fields.flatMap(([name, field]) => queryNamesOf(name, field)))
  return {
    judge(request, reply) {
      const isStrict = prefersStrict(request.headers.prefer)
      if (isStrict) reply.header('preference-applied', strict)
      const body = tree === null ? [] : tree.listUnknown(request.body)
      return report(reply, isStrict, { body, query: unknownQuery(request.url, known) })
    },
  }
}

interface IgnoredFields {
  body: UnknownField[]
  query: UnknownField[]
}

function report(reply: FastifyReply, isStrict: boolean, { body, query }: IgnoredFields): FieldIssue[] {
  const header = listHeader([
    ...body.map(({ path }) => encodePath('body', path)),
    ...query.map(({ path }) => encodePath('query', path)),
  ])
  if (header === null) return []
  reply.header('vedette-ignored', header)
  if (!isStrict) return []
  return [
    ...body.map((field) => issueOf(field, 'field')),
    ...query.map((field) => issueOf(field, 'query parameter')),
  ]
}

/** Throws one error for the unknown fields and the invalid ones. */
export function refuseIgnored(issues: FieldIssue[], parse: () => void): void {
  if (issues.length === 0) return
  try {
    parse()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_input') throw error
    const others = Object.entries(error.attributes).map(([field, message]) => ({
      path: [field],
      message: String(message),
    }))
    throw invalidInput([...issues, ...others])
  }
  throw invalidInput(issues)
}

function issueOf({ path, suggestion }: UnknownField, kind: string): FieldIssue {
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
  return { path, message: `isn't a known ${kind}${hint}` }
}

/** Arrays may be sent as `a[]`, objects as `a[key]`. */
function queryNamesOf(name: string, field: Schema): string[] {
  const inner = innerSchema(field)
  if (inner !== undefined) return queryNamesOf(name, inner)
  if (field instanceof z.ZodArray) return [name, `${name}[]`]
  if (field instanceof z.ZodObject) return Object.keys(field.shape).map((key) => `${name}[${key}]`)
  return [name]
}

function unknownQuery(url: string, known: ReadonlySet<string>): UnknownField[] {
  const mark = url.indexOf('?')
  if (mark === -1) return []
  return Object.keys(parseQuery(url.slice(mark + 1)))
    .filter((name) => name !== '' && !known.has(name))
    .slice(0, 500)
    .map((name) => ({ path: [name], suggestion: nearestName(name, [...known]) }))
}
