// The response has another shape than when the check passed: missing fields, other types, or no JSON at all.
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  formatList,
  type Proof,
  quote,
  type Rule,
  runProof,
  statement,
} from '../finding.ts'
import { type JsonShape, shapeChanges } from '../json-shape.ts'

export const bodyRule: Rule = (evidence): Finding | null => {
  const { failing, passing } = evidence
  const { failure } = failing
  if (failure?.kind !== 'assertion' && failure?.kind !== 'body') return null
  const earlier = passing.flatMap((run) => {
    const shape = run.facts?.response?.shape
    return shape ? [{ run, shape }] : []
  })
  const [last] = earlier
  if (!last || failing.facts?.response?.truncated !== false) return null
  const now = failing.facts.response.shape
  return now === null
    ? notJson(evidence, last.run)
    : shapeChanged(
        evidence,
        now,
        last.run,
        earlier.map(({ shape }) => shape),
      )
}

function shapeChanged(
  evidence: Evidence,
  now: JsonShape,
  last: EvidenceRun,
  earlier: JsonShape[],
): Finding | null {
  const { failing } = evidence
  const changes = shapeChanges(earlier, now)
  if (changes.length === 0) return null
  const failed = failedAssertion(failing)
  const property = (failed?.property ?? '').replace(/\[(\d+|\*)\]/g, '[]')
  const isAbout = changes.some(
    ({ path }) => property === path || property.startsWith(`${path}.`) || property.startsWith(`${path}[`),
  )
  const differences = changes.map(({ path, before, now: type }) =>
    type === null ? `${path} is missing` : `${path} has the type ${type} instead of ${before}`,
  )
  return {
    strength: isAbout ? 85 : 66,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The structure of the JSON response changed: ${formatList(differences)}.`,
        runProof(failing, artifacts.response, `in the body, ${formatList(differences)}`),
        runProof(
          last,
          artifacts.response,
          `the body had ${formatList(changes.map(({ path, before }) => `${path} (${before})`))}`,
        ),
      ),
      ...assertionStatement(failing, isAbout),
    ],
    codeFix: `Restore ${formatList(changes.map(({ path }) => path))} in the response, or change the check if the new structure is intended.`,
    explainedBy: ['deployment', 'settings'],
  }
}

function notJson({ failing }: Evidence, last: EvidenceRun): Finding {
  const type = failing.facts?.response?.headers['content-type'] ?? 'no content type'
  return {
    strength: 84,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The response isn't a JSON document anymore (${[type].flat().join(', ')}).`,
        runProof(
          failing,
          artifacts.response,
          `the body begins with ${quote((failing.facts?.response?.beginning ?? '').slice(0, 120))}`,
        ),
        runProof(last, artifacts.response, 'the body was a JSON document'),
      ),
      ...assertionStatement(failing, true),
    ],
    codeFix:
      'Find out what responds on this path instead of the API: an error page, a login page or a proxy.',
    explainedBy: ['deployment', 'settings'],
  }
}

function failedAssertion({ facts }: EvidenceRun) {
  return facts?.assertions.find(({ error }) => error !== undefined)
}

function assertionStatement(run: EvidenceRun, isExplained: boolean) {
  const failed = failedAssertion(run)
  if (!failed) return []
  const about = [failed.source, failed.property].filter((part) => part !== '').join(' ')
  const shown: Proof = runProof(
    run,
    artifacts.assertion,
    `${about} ${failed.comparison} ${failed.target}: ${quote(failed.error ?? '')}`,
  )
  return [
    statement(
      isExplained ? `That is why the assertion on ${about} fails.` : `The assertion on ${about} fails.`,
      shown,
    ),
  ]
}
