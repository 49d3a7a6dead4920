// Checks that the JSONPaths and regular expressions of assertions parse, with the engines that agents use.
import type { CheckValues, FieldIssue } from '@vedette/contracts'
import { jsonPathError } from '@vedette/safeguards/json-path'
import { compileRegex } from '@vedette/safeguards/regex'
import { isRecord } from '../core/is-record.ts'

type Path = (string | number)[]

interface Assertion {
  source: string
  property: string
  regex?: string | null
}

const jsonSources = new Set(['JSON_BODY', 'JSON_ANSWER', 'JSON_RESPONSE'])
/** Their property is the regular expression, or their regex if the property is empty. */
const textSources = new Set(['TEXT_BODY', 'TEXT_ANSWER', 'RESPONSE_DATA', 'RESPONSE_CODE'])

/** One list of issues for each check. */
export function checkExpressionIssues(checks: readonly CheckValues[]): FieldIssue[][] {
  const budget = { left: maxCost }
  return checks.map(({ request }) => {
    const assertions = isRecord(request) && Array.isArray(request.assertions) ? request.assertions : []
    return expressionIssues(assertions, ['request', 'assertions'], budget)
  })
}

export function groupExpressionIssues(defaults: { assertions?: Assertion[] } | undefined): FieldIssue[] {
  return expressionIssues(defaults?.assertions, ['apiCheckDefaults', 'assertions'], { left: maxCost })
}

function expressionIssues(assertions: Assertion[] | undefined, path: Path, budget: Budget): FieldIssue[] {
  return (assertions ?? []).flatMap(({ source, property, regex }, index) => {
    const at = (field: string, error: string | null) =>
      error === null ? [] : [{ path: [...path, index, field], message: wording(error) }]
    const ofRegex = () => at('regex', regexError(regex ?? '', budget))
    if (jsonSources.has(source)) return [...at('property', pathError(property, budget)), ...ofRegex()]
    if (textSources.has(source) && property !== '') return at('property', regexError(property, budget))
    return textSources.has(source) || source === 'HEADERS' ? ofRegex() : []
  })
}

/**
 * Compiling a wide character class takes about 1 ms, and 20 ms if case is ignored (measured). The expressions of a request
 * are checked up to this cost in ms; those beyond it are accepted, and the agent checks them.
 */
const maxCost = 100

interface Budget {
  left: number
}

function regexError(pattern: string, budget: Budget): string | null {
  if (isTemplate(pattern) || pattern === '') return null
  const classes = pattern.match(/\[|\\p/gi)?.length ?? 0
  const ignoresCase = /\(\?[a-z]*i/i.test(pattern)
  if (!spend(budget, classes * (ignoresCase ? 20 : 1) + pattern.length / 1000)) return null
  const compiled = compileRegex(pattern)
  return compiled.ok ? null : compiled.error
}

function pathError(path: string, budget: Budget): string | null {
  if (isTemplate(path) || !spend(budget, path.length / 1000)) return null
  return jsonPathError(path)
}

function spend(budget: Budget, cost: number): boolean {
  if (cost > budget.left) return false
  budget.left -= cost
  return true
}

/** The values of variables are known only when the check runs. */
function isTemplate(text: string): boolean {
  return text.includes('{{')
}

function wording(error: string): string {
  return error.startsWith('not a valid') ? `is ${error}` : `can't be used: ${error}`
}
