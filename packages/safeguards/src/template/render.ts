// Renders the templates of a request before it runs. The caller has resolved the precedence of variables; errors of a
// template are returned with its field.
import type { Failure } from '@vedette/contracts'
import { type TemplateClock, templateClock } from './functions.ts'
import { interpret, type RenderedText } from './interpret.ts'

export interface TemplateValues {
  variables: Readonly<Record<string, string>>
  /** `apiCheckDefaults.url` of the check's group; may contain templates. */
  groupBaseUrl?: string | null
  clock?: Partial<TemplateClock>
}

interface KeyValue {
  key: string
  value: string
}

/** The fields of a request that may contain templates. */
export interface TemplatedRequest {
  url: string
  body?: string
  headers?: readonly KeyValue[]
  queryParameters?: readonly KeyValue[]
  basicAuth?: { username: string; password: string } | null
  /** Of gRPC. Their values aren't encoded, and neither are those of `texts`: other fields, by name. */
  metadata?: readonly KeyValue[]
  texts?: Readonly<Record<string, string | null>>
}

export type RenderedRequest<R> =
  /** `undefinedText`: a sentence about undefined variables, which render as empty text; null: there are none. */
  { ok: true; request: R; undefinedText: string | null } | { ok: false; failure: Failure }

/** `{{X}}` is URI-encoded, `{{{X}}}` isn't. */
export function renderTemplate(template: string, values: TemplateValues): RenderedText {
  // Most templates are plain text, and need no map of the variables.
  if (!template.includes('{{')) return { ok: true, text: template }
  return interpret(template, { ...scopeOf(values), encode: encodeUri })
}

/** The same request with its templates rendered; other fields don't change. */
export function renderRequest<R extends TemplatedRequest>(
  request: R,
  values: TemplateValues,
): RenderedRequest<R> {
  const issues: string[] = []
  const scope = scopeOf(values)
  const missing = new Map<string, Set<string>>()
  const field = (name: string, template: string, encode = encodeUri): string => {
    if (!template.includes('{{')) return template
    const onUndefined = (variable: string) => {
      missing.set(variable, (missing.get(variable) ?? new Set()).add(name))
    }
    const rendered = interpret(template, { ...scope, onUndefined, encode })
    if (!rendered.ok) issues.push(`${name}: ${rendered.error}`)
    return rendered.ok ? rendered.text : ''
  }
  if (typeof values.groupBaseUrl === 'string') {
    scope.variables.set('GROUP_BASE_URL', field('base URL of the group', values.groupBaseUrl))
  }
  const url = field('URL', request.url)
  scope.variables.set('REQUEST_URL', url)
  const { body, headers, queryParameters, basicAuth, metadata, texts } = request
  const pairs = (name: string, given: readonly KeyValue[], encode?: typeof encodeUri) =>
    given.map((pair) => ({ ...pair, value: field(`${name} ${pair.key}`, pair.value, encode) }))
  const rendered = {
    ...request,
    url,
    ...(body !== undefined && { body: field('body', body) }),
    ...(headers !== undefined && { headers: pairs('header', headers) }),
    // These are encoded when the URL is built, so encoding them here would encode them twice.
    ...(queryParameters !== undefined && {
      queryParameters: pairs('query parameter', queryParameters, asIs),
    }),
    ...(basicAuth && {
      basicAuth: {
        ...basicAuth,
        username: field('basic auth username', basicAuth.username),
        password: field('basic auth password', basicAuth.password),
      },
    }),
    ...(metadata !== undefined && { metadata: pairs('metadata', metadata, asIs) }),
    ...(texts !== undefined && {
      texts: Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, text && field(name, text, asIs)]),
      ),
    }),
  }
  if (issues.length === 0) return { ok: true, request: rendered, undefinedText: undefinedText(missing) }
  const message = `The request couldn't be built: ${issues.join('; ')}.`
  return { ok: false, failure: { kind: 'script', message: message.slice(0, 10_000), phase: 'setup' } }
}

const mostNamed = 5

function undefinedText(missing: ReadonlyMap<string, ReadonlySet<string>>): string | null {
  const named = [...missing].slice(0, mostNamed).map(([name, fields]) => {
    const where = [...fields].map((field) => `the ${field}`).join(' and ')
    return `The variable ${name.slice(0, 100)} isn't defined; it is used in ${where.slice(0, 300)}.`
  })
  return named.length === 0 ? null : named.join(' ')
}

function scopeOf({ variables, clock }: TemplateValues) {
  return { variables: new Map(Object.entries(variables)), clock: templateClock(clock) }
}

/** Not `encodeURIComponent`: variables contain whole URLs, as in `{{GROUP_BASE_URL}}/path`. */
function encodeUri(text: string): string {
  return encodeURI(text.toWellFormed())
}

function asIs(text: string): string {
  return text
}
