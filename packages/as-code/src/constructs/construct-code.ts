// What constructs of all kinds share: the parts of a file, references, secrets, and what a construct can't express.
import type { ResourceKind } from '../resource-names.ts'
import { Expression, type Reference, toSource } from '../source.ts'

export type Props = Record<string, unknown>

/** What surrounds the constructs of a file. */
export interface ConstructScope {
  /** Names an export of checkly/constructs; the file imports it. */
  use(construct: string): string
  /** The variable of another resource, or `CheckGroupV2.fromId(12)`; undefined: there is no way to name it. */
  refer(kind: ResourceKind, id: string | number): Expression | undefined
  /** The environment variable of a value that isn't shown. */
  secret(field: string): Reference
  /** The text of a snippet, if it is known. */
  snippet(id: number): string | undefined
  /** A setting that the construct doesn't have. */
  note(field: string, value: unknown): void
}

export interface Construct {
  /** The name of the class. */
  construct: string
  props: Props
}

/** A resource whose fields are taken one by one: what is left has no prop. */
export class Fields {
  readonly whole: Readonly<Record<string, unknown>>
  readonly #left: Map<string, unknown>

  constructor(resource: object) {
    this.whole = { ...resource }
    this.#left = new Map(Object.entries(resource))
  }

  take(name: string): unknown {
    const value = this.#left.get(name)
    this.#left.delete(name)
    return value
  }

  /** The fields that differ from what a construct without the prop deploys. */
  takeAll(names: readonly string[], defaults: Props = {}): Props {
    const entries = names.map((name): [string, unknown] => [name, this.take(name)])
    return Object.fromEntries(
      entries.filter(([name, value]) => isSet(value) && !isSame(value, defaults[name])),
    )
  }

  ignore(names: Iterable<string>): void {
    for (const name of names) this.#left.delete(name)
  }

  /** Notes what is left and isn't a default. */
  noteRest(scope: ConstructScope, defaults: Props = {}): void {
    for (const [name, value] of this.#left)
      if (isSet(value) && !isSame(value, defaults[name])) scope.note(name, value)
  }
}

export function isSet(value: unknown): boolean {
  return (
    value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
  )
}

const isSame = (value: unknown, other: unknown) => JSON.stringify(value) === JSON.stringify(other)

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Without entries that aren't set or have the default. */
export function shorten(value: Record<string, unknown>, defaults: Props = {}): Props {
  return new Fields(value).takeAll(Object.keys(value), defaults)
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Names of headers and parameters that usually hold credentials, also where they aren't locked. */
const credential = /^(proxy-)?authorization$|^cookie$|token|secret|password|api[-_]?key/i

/**
 * Headers, parameters and variables. Locked and secret values aren't shown, and those with the name of a credential, unless
 * they name a variable of the account.
 */
export function pairsOf(value: unknown, field: string, scope: ConstructScope): Props[] {
  return listOf(value).map((pair) => {
    const key = String(pair.key)
    const text = typeof pair.value === 'string' ? pair.value : ''
    const isMarked = pair.locked === true || pair.secret === true
    const isHidden = isMarked || pair.value === null || (credential.test(key) && isLiteral(text))
    return {
      key,
      value: isHidden ? scope.secret(`${field} ${key}`.trim()) : text,
      ...(pair.locked === true && { locked: true }),
      ...(pair.secret === true && { secret: true }),
    }
  })
}

const isLiteral = (text: string) => text !== '' && !text.includes('{{')

export function basicAuthOf(value: unknown, scope: ConstructScope): Props {
  if (!isRecord(value) || (!isSet(value.username) && !isSet(value.password))) return {}
  return { basicAuth: { username: value.username ?? '', password: scope.secret('password') } }
}

/** All fields: the type of assertions requires them. */
export function assertionsOf(value: unknown): Props {
  const assertions = listOf(value).map(({ source, property, comparison, target, regex }) => ({
    ...{ source, property: property ?? '', comparison, target: target ?? '', regex: regex ?? null },
  }))
  return assertions.length === 0 ? {} : { assertions }
}

/** The enumeration of escalation types isn't exported by the package, so builders are called. */
export function escalationOf(settings: unknown, scope: ConstructScope): Expression {
  const { escalationType, runBasedEscalation, timeBasedEscalation, reminders, parallelRunFailureThreshold } =
    isRecord(settings) ? settings : {}
  const isTimeBased = escalationType === 'TIME_BASED'
  const threshold = isTimeBased
    ? Reflect.get(Object(timeBasedEscalation), 'minutesFailingThreshold')
    : Reflect.get(Object(runBasedEscalation), 'failedRunThreshold')
  const options = [
    isSame(reminders, { amount: 0, interval: 5 }) ? undefined : reminders,
    isSame(parallelRunFailureThreshold, { enabled: false, percentage: 10 })
      ? undefined
      : parallelRunFailureThreshold,
  ]
  while (options.length > 0 && options.at(-1) === undefined) options.pop()
  const words = [threshold, ...options].map((option) => toSource(option, '  '))
  const method = isTimeBased ? 'timeBasedEscalation' : 'runBasedEscalation'
  return new Expression(`${scope.use('AlertEscalationBuilder')}.${method}(${words.join(', ')})`)
}

/** The API has a list of one cause, the construct a name. */
export function retryStrategyOf(strategy: Record<string, unknown>, hasCauses: boolean): Props {
  const { onlyOn, ...rest } = strategy
  const cause = Array.isArray(onlyOn) ? onlyOn[0] : onlyOn
  return shorten({ ...rest, ...(hasCauses && { onlyOn: cause }) })
}

/** What the deprecated `doubleCheck` does: one retry at once, from another location. */
export const doubleCheckStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  maxRetries: 1,
  maxDurationSeconds: 600,
  sameRegion: false,
}

/** Set by the server, or part of the project. */
export const serverFields = [
  ...['id', 'created_at', 'updated_at', 'accountId', 'project', 'logicalId', 'projectBindings', 'drifted'],
]

export function constructSource({ construct, props }: Construct, logicalId: string): string {
  return `new ${construct}(${toSource(logicalId)}, ${toSource(props)})`
}
