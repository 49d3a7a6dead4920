// An assertion no longer holds, and nothing else tells more: a header, a text, a value.
import type { EvidenceRun } from '../evidence.ts'
import { artifacts, type Finding, quoted, type Rule, shows, statement } from '../finding.ts'

export const assertionRule: Rule = ({ failing, passing }): Finding | null => {
  if (failing.failure?.kind !== 'assertion') return null
  const failed = failing.facts?.assertions.find(({ error }) => error !== undefined)
  if (!failed) return null
  const held = passing.find((run) => isHeld(run, failed))
  // Whether it ever held is what tells a change of the target from a wrong assertion.
  if (!held) return null
  const about = [failed.source, failed.property].filter((part) => part !== '').join(' ')
  const header = failed.source === 'HEADERS' ? failed.property.toLowerCase() : null
  return {
    strength: 55,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The target's response changed: the assertion on ${about} passed before and now fails with ${quoted(failed.error ?? '')}.`,
        shows(
          failing,
          artifacts.assertion,
          `${about} ${failed.comparison} ${failed.target}: ${quoted(failed.error ?? '')}`,
        ),
        shows(held, artifacts.assertion, `${about} ${failed.comparison} ${failed.target} passed`),
        ...(header
          ? [failing, held].map((run) =>
              shows(run, artifacts.response, `header ${header}: ${headerOf(run, header)}`),
            )
          : []),
      ),
    ],
    codeFix:
      'Compare the responses of the two results; correct the application, or the assertion if the change is intended.',
    explainedBy: ['deployment', 'settings'],
  }
}

function isHeld(
  { facts }: EvidenceRun,
  failed: { source: string; property: string; comparison: string; target: string },
) {
  return facts?.assertions.some(
    ({ source, property, comparison, target, error }) =>
      error === undefined &&
      source === failed.source &&
      property === failed.property &&
      comparison === failed.comparison &&
      target === failed.target,
  )
}

function headerOf({ facts }: EvidenceRun, name: string): string {
  const value = facts?.response?.headers[name]
  return value === undefined ? 'absent' : quoted([value].flat().join(', '))
}
