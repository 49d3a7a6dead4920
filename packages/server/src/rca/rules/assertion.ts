// An assertion on a header, a text or a value no longer passes, and no other rule explains it.
import type { EvidenceRun } from '../evidence.ts'
import { artifacts, type Finding, quote, type Rule, runProof, statement } from '../finding.ts'

export const assertionRule: Rule = ({ failing, passing }): Finding | null => {
  if (failing.failure?.kind !== 'assertion') return null
  const failed = failing.facts?.assertions.find(({ error }) => error !== undefined)
  if (!failed) return null
  const before = passing.find((run) => hasPassed(run, failed))
  // If it never passed, the assertion itself may be wrong.
  if (!before) return null
  const about = [failed.source, failed.property].filter((part) => part !== '').join(' ')
  const header = failed.source === 'HEADERS' ? failed.property.toLowerCase() : null
  return {
    strength: 55,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The target's response changed: the assertion on ${about} passed before and now fails with ${quote(failed.error ?? '')}.`,
        runProof(
          failing,
          artifacts.assertion,
          `${about} ${failed.comparison} ${failed.target}: ${quote(failed.error ?? '')}`,
        ),
        runProof(before, artifacts.assertion, `${about} ${failed.comparison} ${failed.target} passed`),
        ...(header
          ? [failing, before].map((run) =>
              runProof(run, artifacts.response, `header ${header}: ${headerOf(run, header)}`),
            )
          : []),
      ),
    ],
    codeFix:
      'Compare the responses of the two results; correct the application, or the assertion if the change is intended.',
    explainedBy: ['deployment', 'settings'],
  }
}

function hasPassed(
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
  return value === undefined ? 'absent' : quote([value].flat().join(', '))
}
