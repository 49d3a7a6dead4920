// Regular expressions of users, in linear time: the syntax of RE2, run by re2js. Errors are returned, not thrown.

import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { errorMessage } from '../errors.ts'

const maxPatternChars = 5000
/** Instructions of the compiled program. */
const maxProgramSize = 10_000
/** Program size × characters of text, which is what RE2 needs at worst (about 30 ns each, measured). */
const maxSteps = 40_000_000

/** `size`: instructions of the compiled program. */
export type Regex = { ok: true; size: number; find(text: string): RegexFind } | { ok: false; error: string }

/** `value`: the first group if there is one, else the whole match; null: no match. */
export type RegexFind = { ok: true; value: string | null } | { ok: false; error: string }

const compiled = new LRUCache<string, Regex>({ max: 1000, memoMethod: compile })

export function compileRegex(pattern: string): Regex {
  if (pattern.length > maxPatternChars) {
    return { ok: false, error: `the regular expression is longer than ${maxPatternChars} characters` }
  }
  return compiled.memo(pattern)
}

/** What the pattern finds in the text. */
export function findByRegex(pattern: string, text: string): RegexFind {
  const regex = compileRegex(pattern)
  return regex.ok ? regex.find(text) : regex
}

function compile(pattern: string): Regex {
  if (isCostlyToCompile(pattern)) {
    return { ok: false, error: 'the regular expression has too many character classes' }
  }
  try {
    // Look-behinds disable the faster engines, so they're enabled only for expressions that have one.
    const flags = /\(\?<[=!]/.test(pattern) ? RE2JS.LOOKBEHINDS : 0
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern), flags)
    const size = program.programSize()
    if (size > maxProgramSize) {
      return { ok: false, error: 'the regular expression is too large once its repetitions are written out' }
    }
    return { ok: true, size, find: (text) => find(program, size, text) }
  } catch (error) {
    return { ok: false, error: describe(pattern, error) }
  }
}

/** A wide class that ignores case takes some 20 ms to compile, one that does not 1 ms (measured). */
function isCostlyToCompile(pattern: string): boolean {
  const classes = pattern.match(/\[|\\p/gi)?.length ?? 0
  return classes > (/\(\?[a-z]*i/i.test(pattern) ? 40 : 500)
}

function find(program: RE2JS, size: number, text: string): RegexFind {
  if (size * text.length > maxSteps) {
    return {
      ok: false,
      error: `the regular expression is too costly for a text of ${text.length} characters; it can search ${Math.floor(maxSteps / size)}`,
    }
  }
  try {
    const matcher = program.matcher(text)
    if (!matcher.find()) return { ok: true, value: null }
    return { ok: true, value: matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? null }
  } catch (error) {
    return { ok: false, error: describe('', error) }
  }
}

function describe(pattern: string, error: unknown): string {
  if (/\(\?[=!]/.test(pattern)) {
    return 'look-aheads such as (?=…) and (?!…) are not supported: regular expressions run in linear time (RE2)'
  }
  if (/\\[1-9]|\\k</.test(pattern)) {
    return 'back-references such as \\1 are not supported: regular expressions run in linear time (RE2)'
  }
  return `not a valid regular expression: ${errorMessage(error)
    .replace(/^error parsing regexp: /, '')
    .slice(0, 500)}`
}
