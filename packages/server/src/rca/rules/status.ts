// The target responded with an unexpected status.
import type { RootCauseClassification } from '@vedette/contracts'
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  proof,
  quote,
  type Rule,
  runProof,
  statement,
  statusProof,
} from '../finding.ts'

export const statusRule: Rule = (evidence): Finding | null => {
  const { failing, passing } = evidence
  const status = failing.statusCode
  if (status === null || !isAboutStatus(failing)) return null
  const before = passing.find((run) => run.statusCode !== null && run.statusCode !== status)
  const change = evidence.changes.length > 0
  const { classification, meaning, fix } = meaningOf(status)
  const stated = failing.facts?.response?.errorText ?? null
  const seen = statusProof(failing)
  const where = failing.facts?.request
  const requested = where ? [runProof(failing, artifacts.request, `${where.method} ${where.url}`)] : []
  return {
    strength: before ? (change ? 80 : 62) : 45,
    classification,
    statements: [
      before
        ? statement(
            `The target responds with status ${status} instead of ${before.statusCode}: ${meaning}.`,
            seen,
            statusProof(before),
            ...requested,
          )
        : statement(`The target responds with status ${status}: ${meaning}.`, seen, ...requested),
      ...differentServer(evidence),
    ],
    codeFix:
      stated === null ? fix : `Start with the error that the response states, ${quote(stated)}. ${fix}`,
    explainedBy: ['deployment', 'settings'],
  }
}

export function isAboutStatus({ failure, facts }: EvidenceRun): boolean {
  if (failure?.kind === 'status') return true
  const failed = facts?.assertions.find(({ error }) => error !== undefined)
  return failure?.kind === 'assertion' && failed?.source === 'STATUS_CODE'
}

interface Meaning {
  classification: RootCauseClassification
  meaning: string
  fix: string
}

function meaningOf(status: number): Meaning {
  if (status === 401 || status === 403 || status === 407) {
    const fix =
      'Check the credentials that the check sends (they may be expired, rotated or revoked) and the access rules of the target.'
    return { classification: 'CONFIGURATION_ERROR', meaning: 'it denies access to the request', fix }
  }
  if (status === 404 || status === 410) {
    const fix =
      'Check whether the path moved or a route was removed; correct the application, or the URL in the check.'
    return { classification: 'APPLICATION_ERROR', meaning: "the requested path doesn't exist", fix }
  }
  if (status === 429) {
    const fix = 'Raise the rate limit for the check, or run it less often.'
    return {
      classification: 'CONFIGURATION_ERROR',
      meaning: 'the check has reached a rate limit',
      fix,
    }
  }
  if (status === 502 || status === 503 || status === 504) {
    const fix = 'Check the servers behind the proxy or load balancer: they may be down, draining or too slow.'
    return { classification: 'INFRASTRUCTURE_ERROR', meaning: "the service behind it isn't available", fix }
  }
  if (status >= 500) {
    const fix = "Find the error in the application's log at the time of the failing result."
    return {
      classification: 'APPLICATION_ERROR',
      meaning: 'the application failed to handle the request',
      fix,
    }
  }
  const fix = 'Check how the application handles this request now.'
  return { classification: 'APPLICATION_ERROR', meaning: "that isn't the status that the check expects", fix }
}

/** The `server` header reveals a maintenance page or another proxy. */
function differentServer({ failing, passing }: Evidence) {
  const now = serverOf(failing)
  const before = passing.map((run) => ({ run, server: serverOf(run) })).find(({ server }) => server !== null)
  if (now === null || !before || before.server === now) return []
  return [
    statement(
      `A different server responds: the header “server” is ${quote(now)} instead of ${quote(before.server ?? '')}.`,
      proof(artifacts.response, `headers of the results ${failing.id} and ${before.run.id}`),
    ),
  ]
}

function serverOf({ facts }: EvidenceRun): string | null {
  const header = Object.entries(facts?.response?.headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'server',
  )?.[1]
  return header === undefined ? null : [header].flat().join(', ')
}
