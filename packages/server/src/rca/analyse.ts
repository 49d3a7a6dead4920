// Evidence in, an analysis out. Pure: the same evidence gives the same words. Every sentence about the world ends with the
// numbers of the evidence that shows it; where nothing does, the cause is unknown and the analysis says what is missing.
import type { RootCause } from '@vedette/contracts'
import { changeStatements } from './changes.ts'
import type { Evidence } from './evidence.ts'
import {
  artifacts,
  type Finding,
  type Proof,
  quoted,
  type Rule,
  type Statement,
  shows,
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
import { neighboursRule } from './rules/neighbours.ts'
import { packetLossRule } from './rules/packet-loss.ts'
import { requestChangeRule } from './rules/request-change.ts'
import { scriptRule } from './rules/script.ts'
import { statusRule } from './rules/status.ts'
import { timeoutRule } from './rules/timeout.ts'
import { timingsRule } from './rules/timings.ts'

/** Among equals the first one wins. */
const rules: readonly Rule[] = [
  scriptRule,
  codeRunRule,
  requestChangeRule,
  certificateRule,
  nameResolutionRule,
  neighboursRule,
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

export function analyse(evidence: Evidence): Analysis {
  const findings = rules.flatMap((rule) => rule(evidence) ?? []).sort((a, b) => b.strength - a.strength)
  const [best, ...others] = findings
  const ledger = new Ledger()
  const causes = best ? causeOf(evidence, best) : whatIsKnown(evidence)
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

/** What the response itself gives as the reason, whichever rule found the cause. */
function responseError({ failing }: Evidence): Statement[] {
  const text = failing.facts?.response?.errorText ?? null
  if (text === null) return []
  const said = quoted(text)
  return [
    statement(
      `The response states the error ${said}.`,
      shows(failing, artifacts.response, `the body states ${said}`),
    ),
  ]
}

function whatIsKnown(evidence: Evidence): Statement[] {
  const { failing } = evidence
  const message = quoted(failing.failure?.message ?? 'The run failed.')
  return [
    statement(`The run failed with ${message}.`, shows(failing, artifacts.failure, message)),
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

/** Told as theirs: nobody has looked whether it is so. */
function contextOf({ userContext }: Evidence): string {
  return userContext === ''
    ? ''
    : `\n\nThe request for this analysis included a context that was not verified: ${quoted(userContext)}.`
}

/** Numbers proofs in the order in which they are first needed; the same one is listed once. */
class Ledger {
  readonly proofs: Proof[] = []
  readonly #numbers = new Map<string, number>()

  cite({ text, proofs }: Statement): string {
    const numbers = proofs.map((one) => this.#numberOf(one))
    return `${cut(text)} [${[...new Set(numbers)].join(', ')}]`
  }

  #numberOf(one: Proof): number {
    const known = this.#numbers.get(one.description)
    if (known !== undefined) {
      const entry = this.proofs[known - 1] as Proof
      const isNew = one.artifacts.filter(({ name }) =>
        entry.artifacts.every((artifact) => artifact.name !== name),
      )
      entry.artifacts = [...entry.artifacts, ...isNew]
      return known
    }
    this.proofs.push({ ...one, description: cut(one.description) })
    this.#numbers.set(one.description, this.proofs.length)
    return this.proofs.length
  }
}

const longest = 1_000

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
