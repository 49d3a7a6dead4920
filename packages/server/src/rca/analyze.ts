// Turns evidence into an analysis. Pure: the same evidence gives the same text. Every statement of fact ends with the numbers of its
// evidence; without evidence, the cause is unknown and the analysis lists what is missing.
import type { RootCause } from '@vedette/contracts'
import { changeStatements } from './changes.ts'
import type { Evidence } from './evidence.ts'
import {
  artifacts,
  type Finding,
  type Proof,
  quote,
  type Rule,
  runProof,
  type Statement,
  statement,
} from './finding.ts'
import { impactOf } from './impact.ts'
import { addressesRule } from './rules/addresses.ts'
import { assertionRule } from './rules/assertion.ts'
import { bodyRule } from './rules/body.ts'
import { certificateRule } from './rules/certificate.ts'
import { codeRunRule } from './rules/code-run.ts'
import { connectionRule } from './rules/connection.ts'
import { locationRule } from './rules/location.ts'
import { nameResolutionRule } from './rules/name-resolution.ts'
import { neighborsRule } from './rules/neighbors.ts'
import { packetLossRule } from './rules/packet-loss.ts'
import { requestChangeRule } from './rules/request-change.ts'
import { scriptRule } from './rules/script.ts'
import { statusRule } from './rules/status.ts'
import { timeoutRule } from './rules/timeout.ts'
import { timingsRule } from './rules/timings.ts'

/** Among findings of equal strength, the first rule wins. */
const rules: readonly Rule[] = [
  scriptRule,
  codeRunRule,
  requestChangeRule,
  certificateRule,
  nameResolutionRule,
  neighborsRule,
  addressesRule,
  locationRule,
  connectionRule,
  timeoutRule,
  timingsRule,
  bodyRule,
  statusRule,
  packetLossRule,
  assertionRule,
]

const mostFurther = 4

export type Analysis = Omit<RootCause, 'referenceLinks' | 'evidence' | 'codeFix'> & {
  codeFix: string | null
  evidence: Proof[]
}

export function analyze(evidence: Evidence): Analysis {
  const findings = rules.flatMap((rule) => rule(evidence) ?? []).sort((a, b) => b.strength - a.strength)
  const [best, ...others] = findings
  const ledger = new Ledger()
  const causes = best ? causeOf(evidence, best) : knownFacts(evidence)
  const rootCause = [...(best ? [] : ['The cause is unknown.']), ...causes.map((one) => ledger.cite(one))]
  if (!best) rootCause.push(`The following is missing to determine it: ${missingIn(evidence).join('; ')}.`)
  const userImpact = impactOf(evidence).map((one) => ledger.cite(one))
  for (const { statements } of others.slice(0, mostFurther)) for (const one of statements) ledger.cite(one)
  return {
    classification: best?.classification ?? 'UNKNOWN_ERROR',
    rootCause: `${rootCause.join(' ')}${contextOf(evidence)}`,
    userImpact: userImpact.join(' '),
    codeFix: best?.codeFix ?? null,
    evidence: ledger.proofs,
  }
}

function causeOf(evidence: Evidence, best: Finding): Statement[] {
  return [...best.statements, ...responseError(evidence), ...changeStatements(evidence, best.explainedBy)]
}

/** The error that the response itself states, whichever rule found the cause. */
function responseError({ failing }: Evidence): Statement[] {
  const text = failing.facts?.response?.errorText ?? null
  if (text === null) return []
  const error = quote(text)
  return [
    statement(
      `The response states the error ${error}.`,
      runProof(failing, artifacts.response, `the body states ${error}`),
    ),
  ]
}

function knownFacts(evidence: Evidence): Statement[] {
  const { failing } = evidence
  const message = quote(failing.failure?.message ?? 'The run failed.')
  return [
    statement(`The run failed with ${message}.`, runProof(failing, artifacts.failure, message)),
    ...responseError(evidence),
    ...changeStatements(evidence, ['deployment', 'settings']),
  ]
}

function missingIn({ failing, passing, since }: Evidence): string[] {
  const elsewhere = since.some(({ location }) => location !== failing.location)
  return [
    ...(failing.facts === null
      ? ['the details of the failing run, which are not stored or no longer stored']
      : []),
    ...(passing.length === 0 ? ['a passing run of the check to compare with'] : []),
    ...(passing.length > 0 && passing.every(({ facts }) => facts === null)
      ? ['the details of passing runs']
      : []),
    ...(elsewhere ? [] : ['runs in other locations at the same time']),
    'a difference between runs that explains the failure',
  ]
}

/** Quoted as unverified. */
function contextOf({ userContext }: Evidence): string {
  return userContext === ''
    ? ''
    : `\n\nThe request for this analysis included a context that was not verified: ${quote(userContext)}.`
}

/** Numbers proofs in the order of their first citation; each is listed once. */
class Ledger {
  readonly proofs: Proof[] = []
  readonly #known = new Map<string, { number: number; proof: Proof }>()

  cite({ text, proofs }: Statement): string {
    const numbers = proofs.map((one) => this.#numberOf(one))
    return `${cut(text)} [${[...new Set(numbers)].join(', ')}]`
  }

  #numberOf(one: Proof): number {
    const known = this.#known.get(one.description)
    if (known !== undefined) {
      const { proof, number } = known
      const names = new Set(proof.artifacts.map(({ name }) => name))
      proof.artifacts = [...proof.artifacts, ...one.artifacts.filter(({ name }) => !names.has(name))]
      return number
    }
    const proof = { ...one, description: cut(one.description) }
    const number = this.proofs.push(proof)
    this.#known.set(one.description, { number, proof })
    return number
  }
}

const longest = 1_000

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
