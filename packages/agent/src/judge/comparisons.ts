// The fourteen comparisons. The target is text; the type of the value decides how it is read. `undefined` is a value that
// doesn't exist: a path, a header or a regular expression without a match.
import type { Check } from '@vedette/contracts'
import { parseJson } from '../core/parse-json.ts'
import { jsonText, showValue } from './show-value.ts'

export type Comparison = Extract<Check, { checkType: 'API' }>['request']['assertions'][number]['comparison']

export interface Mismatch {
  /** `to equal "up"`. */
  expectation: string
  /** A clause that explains why it couldn't be compared; null: it was compared and doesn't hold. */
  reason: string | null
}

/** Null: it holds. */
export function compare(value: unknown, comparison: Comparison, target: string): Mismatch | null {
  const { test, phrase, hasTarget } = comparisons[comparison]
  let result: boolean | string
  try {
    result = test(value, target)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    result = 'it nests too deeply to be compared'
  }
  if (result === true) return null
  const shown = typeof value === 'number' && numberOf(target) !== null ? target.trim() : quote(target)
  return {
    expectation: hasTarget ? `${phrase} ${shown}` : phrase,
    reason: typeof result === 'string' ? result : null,
  }
}

/** A value for a sentence. */
export function quote(value: unknown): string {
  const shown = showValue(value, 200)
  return typeof shown === 'string' && (typeof value === 'string' || shown === '')
    ? `"${shown}"`
    : String(shown)
}

/** A string explains why it can't be compared, and counts as false. */
type Test = (value: unknown, target: string) => boolean | string

interface ComparisonRule {
  test: Test
  phrase: string
  hasTarget: boolean
}

const comparisons = {
  EQUALS: { test: equals, phrase: 'to equal', hasTarget: true },
  NOT_EQUALS: { test: not(equals), phrase: 'not to equal', hasTarget: true },
  HAS_KEY: { test: hasKey, phrase: 'to have the key', hasTarget: true },
  NOT_HAS_KEY: { test: not(hasKey), phrase: 'not to have the key', hasTarget: true },
  HAS_VALUE: { test: hasValue, phrase: 'to have the value', hasTarget: true },
  NOT_HAS_VALUE: { test: not(hasValue), phrase: 'not to have the value', hasTarget: true },
  IS_EMPTY: { test: isEmpty, phrase: 'to be empty', hasTarget: false },
  NOT_EMPTY: { test: not(isEmpty), phrase: 'not to be empty', hasTarget: false },
  GREATER_THAN: { test: compareNumbers((a, b) => a > b), phrase: 'to be greater than', hasTarget: true },
  LESS_THAN: { test: compareNumbers((a, b) => a < b), phrase: 'to be less than', hasTarget: true },
  CONTAINS: { test: contains, phrase: 'to contain', hasTarget: true },
  NOT_CONTAINS: { test: not(contains), phrase: 'not to contain', hasTarget: true },
  IS_NULL: { test: isNull, phrase: 'to be null', hasTarget: false },
  NOT_NULL: { test: not(isNull), phrase: 'not to be null', hasTarget: false },
} satisfies Record<Comparison, ComparisonRule>

/** Decimal notation only: no hexadecimal numbers, spaces or Infinity. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim()
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(trimmed) ? Number(trimmed) : null
}

function equals(value: unknown, target: string): boolean {
  if (typeof value === 'string') return value === target
  if (typeof value === 'number') return value === (numberOf(target) ?? Number.NaN)
  if (typeof value === 'boolean' || value === null) return String(value) === target
  return value !== undefined && isDeepEqual(value, parseJson(target))
}

function compareNumbers(holds: (a: number, b: number) => boolean): Test {
  return (value, target) => {
    const actual = typeof value === 'number' ? value : typeof value === 'string' ? numberOf(value) : null
    const wanted = numberOf(target)
    if (wanted === null) return "the target isn't a number"
    return actual === null ? "it isn't a number" : holds(actual, wanted)
  }
}

/** An element of an array, or a part of a text or of an object's JSON text. */
function contains(value: unknown, target: string): boolean | string {
  if (value === undefined) return false
  if (typeof value === 'string') return value.includes(target)
  if (Array.isArray(value)) return value.some((element) => equals(element, target))
  if (typeof value !== 'object' || value === null) return String(value).includes(target)
  const text = jsonText(value, maxSearchedChars + 1)
  return text.length > maxSearchedChars ? 'it is too large to be searched as text' : text.includes(target)
}

const maxSearchedChars = 2_000_000

function hasKey(value: unknown, target: string): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, target)
}

/** One of the values of an object or array, or the value itself. */
function hasValue(value: unknown, target: string): boolean {
  if (typeof value !== 'object' || value === null) return equals(value, target)
  return Object.values(value).some((element) => equals(element, target))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function isNull(value: unknown): boolean {
  return value === undefined || value === null
}

function not(test: Test): Test {
  return (value, target) => {
    const result = test(value, target)
    return typeof result === 'string' ? result : !result
  }
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const others = new Map(Object.entries(b))
  const entries = Object.entries(a)
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isDeepEqual(value, others.get(key)))
  )
}
