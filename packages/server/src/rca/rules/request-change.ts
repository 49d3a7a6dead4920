// Somebody changed the check, and since then it asks for something else.
import { artifacts, type Finding, type Rule, shows, statement } from '../finding.ts'

export const requestChangeRule: Rule = ({ failing, passing, changes }): Finding | null => {
  const now = failing.facts?.request
  const before = passing.find((run) => run.facts?.request)
  const then = before?.facts?.request
  if (!now || !before || !then || !changes.some(({ kind }) => kind === 'settings')) return null
  // What stands in the query may be made anew for each run.
  const plain = ({ method, url }: typeof now) => `${method} ${url.split(/[?#]/, 1)[0]}`
  if (plain(now) === plain(then)) return null
  return {
    strength: 94,
    classification: 'CONFIGURATION_ERROR',
    statements: [
      statement(
        `The check sends a different request than when it passed: ${plain(now)} instead of ${plain(then)}.`,
        shows(failing, artifacts.request, plain(now)),
        shows(before, artifacts.request, plain(then)),
      ),
    ],
    codeFix: 'Check whether this change of the check is intended; if not, restore the previous request.',
    explainedBy: ['settings'],
  }
}
