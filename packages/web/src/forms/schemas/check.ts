// The forms of checks, derived from the definitions of their types.
import {
  AlertSettings,
  type AssertionOption,
  assertionOptionsOf,
  type CheckDefinition,
  type CheckType,
  checkTypeNames,
  createBodyOf,
  definitionOf,
  frequenciesOf,
} from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'
import { valueAt, withValue } from '../values.ts'

/** The fields of a check of any type. */
export type CheckFields = Readonly<Record<string, unknown>>

export interface TypeForm {
  type: CheckType
  /** The last part of the routes that create and update it. */
  path: string
  /** `a TCP monitor`. */
  title: string
  has(field: string): boolean
  frequencies: readonly number[]
  assertions: readonly AssertionOption[]
  /** Only HTTP checks distinguish network errors from other failures. */
  canRetryNetworkErrors: boolean
  /** False: it waits for pings. */
  canRun: boolean
  isCode: boolean
  /** `isStored`: a secret without a value keeps the stored one. */
  problemsOf(values: CheckFields, isStored: boolean): FieldProblem[]
  newValues(): CheckFields
  /** The fields that can be changed, of a check as it is read. */
  valuesOf(check: CheckFields): CheckFields
  /** What the routes take. */
  bodyOf(values: CheckFields): CheckFields
}

/** What a type requires besides the name, and which of it a person has to enter. */
const starts: Record<CheckType, { fields: CheckFields; empty: readonly string[] }> = {
  API: {
    fields: {
      request: {
        method: 'GET',
        url: 'https://example.com',
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
      },
    },
    empty: ['request.url'],
  },
  URL: { fields: { request: { url: 'https://example.com' } }, empty: ['request.url'] },
  TCP: { fields: { request: { hostname: 'example.com', port: 443 } }, empty: ['request.hostname'] },
  DNS: { fields: { request: { query: 'example.com', recordType: 'A' } }, empty: ['request.query'] },
  ICMP: { fields: { request: { hostname: 'example.com' } }, empty: ['request.hostname'] },
  SSL: {
    fields: { request: { sslConfig: { hostname: 'example.com' } }, frequency: 60 },
    empty: ['request.sslConfig.hostname'],
  },
  GRPC: {
    fields: { request: { url: 'example.com', port: 443, grpcConfig: { mode: 'HEALTH' } } },
    empty: ['request.url'],
  },
  TRACEROUTE: { fields: { request: { url: 'example.com' } }, empty: ['request.url'] },
  HEARTBEAT: {
    fields: { heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
    empty: [],
  },
  BROWSER: { fields: { script: '' }, empty: [] },
  MULTI_STEP: { fields: { script: '' }, empty: [] },
  PLAYWRIGHT: { fields: { codeBundlePath: 'x', frequency: 60 }, empty: ['codeBundlePath'] },
  AGENTIC: { fields: { prompt: 'x' }, empty: ['prompt'] },
}

/** Null in the form, so that what changed is what differs; absent in a request. */
const optionalPaths: { readonly [T in CheckType]?: readonly string[] } = {
  DNS: ['request.nameServer', 'request.port'],
  SSL: ['request.sslConfig.clientCertificateMode'],
}

const optionalOfRetries = ['retryStrategy.maxRetries', 'retryStrategy.maxDurationSeconds']

/** Absent as read, null in a request. */
const topLevelOptional = ['frequencyOffset', 'engine']

const forms = new Map<CheckType, TypeForm>()

export function typeFormOf(type: CheckType): TypeForm {
  const known = forms.get(type)
  if (known !== undefined) return known
  const made = makeForm(definitionOf(type), type)
  forms.set(type, made)
  return made
}

export function isCheckType(text: string | null): text is CheckType {
  return checkTypeNames.some((type) => type === text)
}

function makeForm(definition: CheckDefinition, type: CheckType): TypeForm {
  const schema = createBodyOf(definition)
  const fields = Object.keys(definition.input.shape)
  const optional = optionalPaths[type] ?? []
  const complete = (values: CheckFields) => {
    let whole = values
    for (const path of [...optional, ...topLevelOptional.filter((name) => fields.includes(name))])
      if (valueAt(whole, path) === undefined) whole = withValue(whole, path, null)
    return whole
  }
  const bodyOf = (values: CheckFields) => {
    let body = values
    for (const path of [...optional, ...optionalOfRetries]) {
      const value = valueAt(body, path)
      if (value === null || value === '') body = withValue(body, path, undefined)
    }
    return body
  }
  return {
    type,
    path: definition.path,
    title: definition.title,
    has: (field) => fields.includes(field),
    frequencies: frequenciesOf(definition),
    assertions: assertionOptionsOf(definition),
    canRetryNetworkErrors: definition.retries === 'http',
    canRun: definition.capacity !== null,
    isCode: definition.capacity === 'code',
    bodyOf,
    problemsOf: (values, isStored) =>
      issuesOf(schema, bodyOf(values)).filter(({ path }) => !isStored || !isKeptSecret(path, values)),
    newValues() {
      const { fields: start, empty } = starts[type]
      let values: CheckFields = { ...definition.input.parse({ name: 'x', ...start }), name: '' }
      for (const path of empty) values = withValue(values, path, '')
      return complete(values)
    },
    valuesOf(check) {
      const entries = Object.entries(check).filter(([name]) => fields.includes(name))
      const values = Object.fromEntries(entries)
      return complete('heartbeat' in values ? withoutPingUrl(values) : values)
    },
  }
}

function withoutPingUrl(values: CheckFields): CheckFields {
  const { pingUrl: _, ...heartbeat } = Object(values.heartbeat)
  return { ...values, heartbeat }
}

function isKeptSecret(path: string, values: CheckFields): boolean {
  const [, row] = /^(environmentVariables\.\d+)\.value$/.exec(path) ?? []
  return (
    row !== undefined && valueAt(values, `${row}.secret`) === true && valueAt(values, `${row}.value`) === null
  )
}

/** Null: some of them can't be used as they are. */
export function readAlertSettings(settings: unknown): AlertSettings | null {
  return AlertSettings.safeParse(settings).data ?? null
}
