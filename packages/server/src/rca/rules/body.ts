// The response has another form than when the check passed: fields gone, of another type, or no JSON at all.
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  listed,
  type Proof,
  quoted,
  type Rule,
  shows,
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
    ? noJson(evidence, last.run)
    : changed(
        evidence,
        now,
        last.run,
        earlier.map(({ shape }) => shape),
      )
}

function changed(
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
  const told = changes.map(({ path, before, now: type }) =>
    type === null ? `${path} is missing` : `${path} has the type ${type} instead of ${before}`,
  )
  return {
    strength: isAbout ? 85 : 66,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The structure of the JSON response changed: ${listed(told)}.`,
        shows(failing, artifacts.response, `in the body, ${listed(told)}`),
        shows(
          last,
          artifacts.response,
          `the body had ${listed(changes.map(({ path, before }) => `${path} (${before})`))}`,
        ),
      ),
      ...assertionStatement(failing, isAbout),
    ],
    codeFix: `Restore ${listed(changes.map(({ path }) => path))} in the response, or change the check if the new structure is intended.`,
    explainedBy: ['deployment', 'settings'],
  }
}

function noJson({ failing }: Evidence, last: EvidenceRun): Finding {
  const type = failing.facts?.response?.headers['content-type'] ?? 'no content type'
  return {
    strength: 84,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        `The response isn't a JSON document anymore (${[type].flat().join(', ')}).`,
        shows(
          failing,
          artifacts.response,
          `the body begins with ${quoted((failing.facts?.response?.beginning ?? '').slice(0, 120))}`,
        ),
        shows(last, artifacts.response, 'the body was a JSON document'),
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
  const shown: Proof = shows(
    run,
    artifacts.assertion,
    `${about} ${failed.comparison} ${failed.target}: ${quoted(failed.error ?? '')}`,
  )
  return [
    statement(
      isExplained ? `That is why the assertion on ${about} fails.` : `The assertion on ${about} fails.`,
      shown,
    ),
  ]
}
