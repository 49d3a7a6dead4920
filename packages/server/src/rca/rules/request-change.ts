// The check was changed, and sends another request since then.
import { artifacts, type Finding, type Rule, runProof, statement } from '../finding.ts'

export const requestChangeRule: Rule = ({ failing, passing, changes }): Finding | null => {
  const now = failing.facts?.request
  const before = passing.find((run) => run.facts?.request)
  const then = before?.facts?.request
  if (!now || !before || !then || !changes.some(({ kind }) => kind === 'settings')) return null
  // The query may differ in each run.
  const requestLine = ({ method, url }: typeof now) => `${method} ${url.split(/[?#]/, 1)[0]}`
  if (requestLine(now) === requestLine(then)) return null
  return {
    strength: 94,
    classification: 'CONFIGURATION_ERROR',
    statements: [
      statement(
        `The check sends a different request than when it passed: ${requestLine(now)} instead of ${requestLine(then)}.`,
        runProof(failing, artifacts.request, requestLine(now)),
        runProof(before, artifacts.request, requestLine(then)),
      ),
    ],
    codeFix: 'Check whether this change of the check is intended; if not, restore the previous request.',
    explainedBy: ['settings'],
  }
}
