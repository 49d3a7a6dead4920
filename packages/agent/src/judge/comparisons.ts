// The fourteen comparisons. The target is a text on the wire; what it is compared to decides how it is read.
// `undefined` is a value that was not there: a path, a header or a regular expression that found nothing.
import type { Check } from '@vedette/contracts'
import { jsonText, showValue } from './show-value.ts'

export type Comparison = Extract<Check, { checkType: 'API' }>['request']['assertions'][number]['comparison']

export interface Mismatch {
  /** `to equal "up"`. */
  expectation: string
  /** Why it couldn't be compared, as a clause; null: it was, and doesn't hold. */
  reason: string | null
}

/** Null when it holds. */
export function compare(value: unknown, comparison: Comparison, target: string): Mismatch | null {
  const { test, says, hasTarget } = comparisons[comparison]
  let held: boolean | string
  try {
    held = test(value, target)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    held = 'it nests too deeply to be compared'
  }
  if (held === true) return null
  const shown = typeof value === 'number' && numberOf(target) !== null ? target.trim() : quote(target)
  return {
    expectation: hasTarget ? `${says} ${shown}` : says,
    reason: typeof held === 'string' ? held : null,
  }
}

/** A value of the target or of the check, as a sentence shows it. */
export function quote(value: unknown): string {
  const shown = showValue(value, 200)
  return typeof shown === 'string' && (typeof value === 'string' || shown === '')
    ? `"${shown}"`
    : String(shown)
}

/** True, false, or why it can't be compared, which never holds. */
type Test = (value: unknown, target: string) => boolean | string

interface Row {
  test: Test
  says: string
  hasTarget: boolean
}

const comparisons = {
  EQUALS: { test: equals, says: 'to equal', hasTarget: true },
  NOT_EQUALS: { test: not(equals), says: 'not to equal', hasTarget: true },
  HAS_KEY: { test: hasKey, says: 'to have the key', hasTarget: true },
  NOT_HAS_KEY: { test: not(hasKey), says: 'not to have the key', hasTarget: true },
  HAS_VALUE: { test: hasValue, says: 'to have the value', hasTarget: true },
  NOT_HAS_VALUE: { test: not(hasValue), says: 'not to have the value', hasTarget: true },
  IS_EMPTY: { test: isEmpty, says: 'to be empty', hasTarget: false },
  NOT_EMPTY: { test: not(isEmpty), says: 'not to be empty', hasTarget: false },
  GREATER_THAN: { test: ordered((a, b) => a > b), says: 'to be greater than', hasTarget: true },
  LESS_THAN: { test: ordered((a, b) => a < b), says: 'to be less than', hasTarget: true },
  CONTAINS: { test: contains, says: 'to contain', hasTarget: true },
  NOT_CONTAINS: { test: not(contains), says: 'not to contain', hasTarget: true },
  IS_NULL: { test: isNull, says: 'to be null', hasTarget: false },
  NOT_NULL: { test: not(isNull), says: 'not to be null', hasTarget: false },
} satisfies Record<Comparison, Row>

/** Decimal notation only: no hexadecimal, no blanks inside, no Infinity. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim()
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(trimmed) ? Number(trimmed) : null
}

function equals(value: unknown, target: string): boolean {
  if (typeof value === 'string') return value === target
  if (typeof value === 'number') return value === (numberOf(target) ?? Number.NaN)
  if (typeof value === 'boolean' || value === null) return String(value) === target
  return value !== undefined && isDeepEqual(value, parsed(target))
}

function ordered(holds: (a: number, b: number) => boolean): Test {
  return (value, target) => {
    const actual = typeof value === 'number' ? value : typeof value === 'string' ? numberOf(value) : null
    const wanted = numberOf(target)
    if (wanted === null) return "the target isn't a number"
    return actual === null ? "it isn't a number" : holds(actual, wanted)
  }
}

/** An element of an array, a part of a text, a part of an object's JSON text. */
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

/** Of an object or array one of its values, of anything else the thing itself. */
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
    const held = test(value, target)
    return typeof held === 'string' ? held : !held
  }
}

function parsed(target: string): unknown {
  try {
    return JSON.parse(target)
  } catch {
    return undefined
  }
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      isDeepEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}
