// The functions of templates.
import { randomUUID } from 'node:crypto'
import { formatDate } from './date-format.ts'
import { dateOfPhrase } from './date-phrase.ts'
import { TemplateError } from './template-error.ts'
import { isLooselySame, isTruthy, numberOf, propertyOf, textOf, type Value } from './value.ts'

export interface TemplateClock {
  now: Date
  /** From 0 up to, not including, 1. */
  random(): number
  uuid(): string
}

export function templateClock(given?: Partial<TemplateClock>): TemplateClock {
  return { now: new Date(), random: Math.random, uuid: randomUUID, ...given }
}

type TemplateFunction = (
  args: readonly Value[],
  hash: ReadonlyMap<string, Value>,
  clock: TemplateClock,
) => Value

const maxListItems = 10_000
const maxTextChars = 1_000_000

export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['$UUID', (_args, _hash, clock) => clock.uuid()],
  ['$RANDOM_NUMBER', (_args, _hash, clock) => Math.floor(clock.random() * 10_001)],

  ['moment', formattedDate],
  ['date', formattedDate],
  ['year', (_args, _hash, clock) => clock.now.getUTCFullYear()],

  ['eq', compared((a, b) => a === b)],
  ['is', compared(isLooselySame)],
  ['isnt', compared((a, b) => !isLooselySame(a, b))],
  ['gt', ordered((a, b) => a > b)],
  ['gte', ordered((a, b) => a >= b)],
  ['lt', ordered((a, b) => a < b)],
  ['lte', ordered((a, b) => a <= b)],
  ['unlessEq', compared((a, b) => a !== b)],
  ['unlessGt', compared((a, b) => !isOrdered(a, b, (x, y) => x > y))],
  ['unlessLt', compared((a, b) => !isOrdered(a, b, (x, y) => x < y))],
  ['unlessGteq', compared((a, b) => !isOrdered(a, b, (x, y) => x >= y))],
  ['unlessLteq', compared((a, b) => !isOrdered(a, b, (x, y) => x <= y))],
  ['isTruthy', ([value]) => !isFalsey(value)],
  ['isFalsey', ([value]) => isFalsey(value)],
  ['compare', compare],
  ['and', (args) => args.every(isTruthy)],
  ['or', (args) => args.some(isTruthy)],
  ['not', ([value]) => !isTruthy(value)],
  ['neither', (args) => !args.some(isTruthy)],
  ['contains', contains],
  ['has', contains],
  ['default', (args) => args.find((value) => value !== null && value !== undefined) ?? ''],
  ['ifEven', ([value]) => numberOf(value) % 2 === 0],
  ['ifOdd', ([value]) => Math.abs(numberOf(value) % 2) === 1],
  ['ifNth', ([nth, value]) => numberOf(value) % numberOf(nth) === 0],

  ['split', split],
  ['startsWith', ([prefix, text]) => textOf(text).startsWith(textOf(prefix))],
  ['replace', replace],
  ['tagValue', tagValue],
  ['lookup', ([list, name]) => propertyOf(list, textOf(name))],
])

/** `{{moment "2 days ago" "YYYY-MM-DD"}}`; a single argument is the format of the current time. */
function formattedDate(args: readonly Value[], _hash: unknown, { now }: TemplateClock): string {
  const [phrase, pattern] = args.length > 1 ? args : ['now', args[0] ?? 'MMMM DD, YYYY']
  const date = dateOfPhrase(textOf(phrase), now)
  if (date === null) throw new TemplateError(`the date "${textOf(phrase).slice(0, 100)}" is not understood`)
  return formatDate(date, textOf(pattern).slice(0, 1000))
}

/** The second value can be passed as `compare=`. */
function compared(holds: (a: Value, b: Value) => boolean): TemplateFunction {
  return (args, hash) => holds(args[0], args.length > 1 ? args[1] : hash.get('compare'))
}

type Order = (a: string | number, b: string | number) => boolean

function ordered(holds: Order): TemplateFunction {
  return compared((a, b) => isOrdered(a, b, holds))
}

function isOrdered(a: Value, b: Value, holds: Order): boolean {
  return isScalar(a) && isScalar(b) && holds(a, b)
}

/** Texts that mean false, besides the empty one. */
const noes = new Set(
  '0 false nada nil nay nah negative no none nope nul null nix nyet uh-uh veto zero'.split(' '),
)

function isFalsey(value: Value): boolean {
  return !isTruthy(value) || (typeof value === 'string' && noes.has(value.toLowerCase()))
}

function isScalar(value: Value): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function compare(
  [a, operator, b]: readonly Value[],
  hash: ReadonlyMap<string, Value>,
  clock: TemplateClock,
): Value {
  if (operator === '===') return a === b
  if (operator === '!==') return a !== b
  if (operator === 'typeof') return typeof a === b
  const called = templateFunctions.get(operators.get(textOf(operator)) ?? '')
  if (called === undefined)
    throw new TemplateError(`compare does not know "${textOf(operator).slice(0, 100)}"`)
  return called([a, b], hash, clock)
}

const operators = new Map([
  ['==', 'is'],
  ['!=', 'isnt'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
])

function contains([collection, value, start]: readonly Value[]): boolean {
  const from = numberOf(start ?? 0) || 0
  if (Array.isArray(collection)) return collection.slice(from).some((element) => element === value)
  return isTruthy(collection) && textOf(collection).includes(textOf(value), from)
}

/** `split text separator index`; with -1 or no index: the whole list. */
function split([text, separator, index]: readonly Value[]): Value {
  const parts = textOf(text).split(textOf(separator), maxListItems + 1)
  if (parts.length > maxListItems) throw new TemplateError(`split makes more than ${maxListItems} parts`)
  const at = numberOf(index ?? -1)
  return at === -1 ? parts : parts[at]
}

/** Every occurrence. Plain texts, no patterns. */
function replace([text, wanted, replacement]: readonly Value[]): string {
  const [from, to] = [textOf(wanted), textOf(replacement)]
  if (from === '') return textOf(text)
  const parts = textOf(text).split(from)
  const chars = textOf(text).length + (parts.length - 1) * (to.length - from.length)
  if (chars > maxTextChars) throw new TemplateError(`replace makes more than ${maxTextChars} characters`)
  return parts.join(to)
}

/** `tagValue TAGS "team" "none"`: the value of a tag such as team:web or team=web. */
function tagValue([tags, name, fallback]: readonly Value[]): Value {
  const key = textOf(name)
  const texts = (Array.isArray(tags) ? tags : [tags]).map(textOf)
  const tag = texts.find((text) => text.startsWith(`${key}:`) || text.startsWith(`${key}=`))
  return tag === undefined ? fallback : tag.slice(key.length + 1).trim()
}
