// The templates of a request rendered, before a runner sees it. Variables come in by precedence already decided; what is
// wrong with a template goes out as data, naming its field.
import { randomUUID } from 'node:crypto'
import type { Failure } from '@vedette/contracts'
import type { TemplateClock } from './functions.ts'
import { defaultTemplateLimits, interpret } from './interpret.ts'
import { TemplateError } from './template-error.ts'

export interface TemplateValues {
  variables: Readonly<Record<string, string>>
  /** `apiCheckDefaults.url` of the check's group; may hold templates itself. */
  groupBaseUrl?: string | null
  clock?: Partial<TemplateClock>
}

interface KeyValue {
  key: string
  value: string
}

/** What of a request can hold templates. */
export interface TemplatedRequest {
  url: string
  body?: string
  headers?: readonly KeyValue[]
  queryParameters?: readonly KeyValue[]
  basicAuth?: { username: string; password: string } | null
}

export type RenderedText = { ok: true; text: string } | { ok: false; error: string }

export type RenderedRequest<R> = { ok: true; request: R } | { ok: false; failure: Failure }

/** `{{X}}` is URI-encoded, `{{{X}}}` is not. */
export function renderTemplate(
  template: string,
  values: TemplateValues,
  limits = defaultTemplateLimits,
): RenderedText {
  if (!template.includes('{{')) return { ok: true, text: template }
  return render(template, scopeOf(values), encodeUri, limits)
}

/** The same request with its templates rendered; other fields are left alone. */
export function renderRequest<R extends TemplatedRequest>(
  request: R,
  values: TemplateValues,
): RenderedRequest<R> {
  const issues: string[] = []
  const scope = scopeOf(values)
  const field = (name: string, template: string, encode = encodeUri): string => {
    if (!template.includes('{{')) return template
    const rendered = render(template, scope, encode, defaultTemplateLimits)
    if (!rendered.ok) issues.push(`${name}: ${rendered.error}`)
    return rendered.ok ? rendered.text : ''
  }
  if (typeof values.groupBaseUrl === 'string') {
    scope.variables.set('GROUP_BASE_URL', field('group base URL', values.groupBaseUrl))
  }
  const url = field('url', request.url)
  scope.variables.set('REQUEST_URL', url)
  const { body, headers, queryParameters, basicAuth } = request
  const pairs = (name: string, given: readonly KeyValue[], encode?: typeof encodeUri) =>
    given.map((pair) => ({ ...pair, value: field(`${name} ${pair.key}`, pair.value, encode) }))
  const rendered = {
    ...request,
    url,
    ...(body !== undefined && { body: field('body', body) }),
    ...(headers !== undefined && { headers: pairs('header', headers) }),
    // These are encoded when they are put into the URL; encoding them here too would do it twice.
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
  }
  if (issues.length === 0) return { ok: true, request: rendered }
  const message = `the request could not be made up: ${issues.join('; ')}`
  return { ok: false, failure: { kind: 'script', message: message.slice(0, 10_000), phase: 'setup' } }
}

interface Scope {
  variables: Map<string, string>
  clock: TemplateClock
}

function scopeOf({ variables, clock }: TemplateValues): Scope {
  return {
    variables: new Map(Object.entries(variables)),
    clock: { now: new Date(), random: Math.random, uuid: randomUUID, ...clock },
  }
}

function render(
  template: string,
  { variables, clock }: Scope,
  encode: (text: string) => string,
  limits: typeof defaultTemplateLimits,
): RenderedText {
  try {
    return { ok: true, text: interpret(template, { variables, clock, encode }, limits) }
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, error: error.message }
    if (error instanceof RangeError) return { ok: false, error: 'the template nests too deeply' }
    throw error
  }
}

/** Not `encodeURIComponent`: variables hold whole addresses, and `{{GROUP_BASE_URL}}/path` is how they are used. */
function encodeUri(text: string): string {
  return encodeURI(text.toWellFormed())
}

function asIs(text: string): string {
  return text
}
