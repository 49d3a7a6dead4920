// A code run failed. Errors of the network or a timeout determine the classification.
import { isCodeType, type RootCauseClassification } from '@vedette/contracts'
import type { Evidence } from '../evidence.ts'
import { type Expectation, expectationOf } from '../expectation.ts'
import { artifacts, type Finding, ms, proof, quote, type Rule, runProof, statement } from '../finding.ts'

interface ErrorPattern {
  pattern: RegExp
  classification: RootCauseClassification
  strength: number
  text: string
  fix: string
}

/** Error messages of browsers, Node and the test runner; the first match counts. */
const patterns: readonly ErrorPattern[] = [
  {
    pattern: /ERR_NAME_NOT_RESOLVED|NS_ERROR_UNKNOWN_HOST|\bENOTFOUND\b|\bEAI_AGAIN\b/,
    classification: 'DNS_ERROR',
    strength: 90,
    text: 'a name could not be resolved',
    fix: 'Check the DNS records of the host that the error names.',
  },
  {
    pattern: /ERR_CERT_|ERR_SSL_|SSL_ERROR_|\bCERT_HAS_EXPIRED\b|self[- ]signed certificate/i,
    classification: 'CERTIFICATE_ERROR',
    strength: 90,
    text: 'a certificate was not trusted',
    fix: 'Check the certificate of the host that the error names.',
  },
  {
    pattern:
      /ERR_CONNECTION_|ERR_ADDRESS_UNREACHABLE|ERR_EMPTY_RESPONSE|NS_ERROR_CONNECTION|\bECONN(?:REFUSED|RESET)\b/,
    classification: 'NETWORK_ERROR',
    strength: 85,
    text: 'a connection could not be established or was interrupted',
    fix: 'Check whether the host that the error names is running and reachable from the location.',
  },
  {
    pattern: /time-?out|timed out|\bERR_TIMED_OUT\b|maximum run time/i,
    classification: 'TIMEOUT_ERROR',
    strength: 70,
    text: 'something did not happen in time',
    fix: "Open the run's trace at the line that the error names to see what the page did instead.",
  },
]

const otherwise: Omit<ErrorPattern, 'pattern'> = {
  classification: 'APPLICATION_ERROR',
  strength: 60,
  text: 'the result differs from what the code expects',
  fix: "Open the run's trace at the line that the error names; correct the application, or the code if the change is intended.",
}

export const codeRunRule: Rule = (evidence): Finding | null => {
  const { failing, passing, checkType } = evidence
  const message = failing.facts?.failure?.message ?? failing.failure?.message
  if (!isCodeType(checkType) || message === undefined || failing.outcome !== 'failed') return null
  const expectation = expectationOf(message)
  if (expectation !== null && hasDetails(expectation)) return mismatch(evidence, message, expectation)
  // An assertion may quote an error that the page shows, so only other errors are matched.
  const match = expectation === null ? patterns.find(({ pattern }) => pattern.test(message)) : undefined
  // Without a passing run, the code of the check may be wrong.
  if (match === undefined && passing.length === 0) return null
  const { classification, strength, text, fix } = match ?? otherwise
  return {
    strength,
    classification,
    statements: [
      statement(
        `The check's code failed because ${text}: ${quote(message)}.`,
        runProof(failing, artifacts.failure, quote(message)),
        ...lastError(evidence),
      ),
      ...(passing.length > 0 ? history(evidence) : []),
    ],
    codeFix: fix,
    explainedBy: ['deployment', 'settings'],
  }
}

const hasDetails = ({ isMissing, expected, received }: Expectation) =>
  isMissing || expected !== null || received !== null

function mismatch(evidence: Evidence, message: string, expectation: Expectation): Finding {
  const { failing } = evidence
  return {
    strength: 70,
    classification: 'APPLICATION_ERROR',
    statements: [
      statement(
        expectationText(expectation),
        runProof(failing, artifacts.assertion, quote(message)),
        ...lastError(evidence),
      ),
      ...history(evidence),
    ],
    codeFix: expectation.isMissing
      ? "Open the run's trace at this assertion to see what the page shows; restore the element, or correct the locator if the page changed on purpose."
      : "Open the run's trace at this assertion to see what the page shows; correct the application, or the expected value if the change is intended.",
    explainedBy: ['deployment', 'settings'],
  }
}

function expectationText({
  subject,
  matcher,
  expected,
  received,
  isMissing,
  timeoutMs,
}: Expectation): string {
  const within = timeoutMs === null ? '' : ` within ${ms(timeoutMs)}`
  if (isMissing)
    return `Element not found: ${shorten(subject)} matched no element on the page${within}, so the assertion “${matcher}${expected === null || repeats(matcher, expected) ? '' : ` ${shorten(expected)}`}” failed.`
  const wanted = expected === null || repeats(matcher, expected) ? '' : ` ${shorten(expected)}`
  const but = received === null ? "it didn't" : `it was ${shorten(received)}`
  return `An assertion of the check's code failed: expected ${shorten(subject)} ${matcher}${wanted}, but ${but}.`
}

/** `to be visible` with `Expected: visible`. */
const repeats = (matcher: string, expected: string) => matcher.endsWith(` ${expected}`)

const longestValue = 200

function shorten(value: string): string {
  const line = value.replaceAll(/\s+/g, ' ').trim()
  return line.length > longestValue ? `${line.slice(0, longestValue)}…` : line
}

function history({ passing, beganAt }: Evidence) {
  const [passed] = passing
  if (passed)
    return [
      statement('The same check passed before.', runProof(passed, artifacts.runs, 'the same check passed')),
    ]
  return [
    statement(
      "The check hasn't passed before, so the error may be in its code.",
      proof(artifacts.runs, `no passing result in the 7 days before ${new Date(beganAt).toISOString()}`),
    ),
  ]
}

function lastError({ failing }: Evidence) {
  const lines = Object.values(failing.facts?.log ?? {}).flat()
  const last = lines.findLast(({ level }) => level === 'ERROR')
  return last ? [runProof(failing, artifacts.log, `the last error in the log is ${quote(last.msg)}`)] : []
}
