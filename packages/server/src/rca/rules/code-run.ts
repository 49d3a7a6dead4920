// A run of code failed. Its error says what it could not do; where that names the network or the time, so does the finding.
import { isCodeType, type RootCauseClassification } from '@vedette/contracts'
import type { Evidence } from '../evidence.ts'
import { artifacts, type Finding, quoted, type Rule, shows, statement } from '../finding.ts'

interface Sign {
  pattern: RegExp
  classification: RootCauseClassification
  strength: number
  text: string
  fix: string
}

/** In the words of browsers, of Node and of the test runner; the first that fits counts. */
const signs: readonly Sign[] = [
  {
    pattern: /ERR_NAME_NOT_RESOLVED|NS_ERROR_UNKNOWN_HOST|\bENOTFOUND\b|\bEAI_AGAIN\b/,
    classification: 'DNS_ERROR',
    strength: 90,
    text: 'a name could not be resolved',
    fix: 'Look at the DNS records of the host that the error names.',
  },
  {
    pattern: /ERR_CERT_|ERR_SSL_|SSL_ERROR_|\bCERT_HAS_EXPIRED\b|self[- ]signed certificate/i,
    classification: 'CERTIFICATE_ERROR',
    strength: 90,
    text: 'a certificate was not accepted',
    fix: 'Look at the certificate of the host that the error names.',
  },
  {
    pattern:
      /ERR_CONNECTION_|ERR_ADDRESS_UNREACHABLE|ERR_EMPTY_RESPONSE|NS_ERROR_CONNECTION|\bECONN(?:REFUSED|RESET)\b/,
    classification: 'NETWORK_ERROR',
    strength: 85,
    text: 'a connection could not be made, or broke',
    fix: 'Look whether the host that the error names is up and reachable from the location.',
  },
  {
    pattern: /time-?out|timed out|\bERR_TIMED_OUT\b|maximum run time/i,
    classification: 'TIMEOUT_ERROR',
    strength: 70,
    text: 'something did not happen in time',
    fix: 'Open the trace of the run at the place that the error names: it shows what the page did instead.',
  },
]

const otherwise: Omit<Sign, 'pattern'> = {
  classification: 'APPLICATION_ERROR',
  strength: 60,
  text: 'what the code found is not what it expects',
  fix: 'Open the trace of the run at the place that the error names; correct the application, or the code if the change is meant.',
}

export const codeRunRule: Rule = (evidence): Finding | null => {
  const { failing, passing, checkType } = evidence
  const message = failing.facts?.failure?.message ?? failing.failure?.message
  if (!isCodeType(checkType) || message === undefined || failing.outcome !== 'failed') return null
  const sign = signs.find(({ pattern }) => pattern.test(message))
  const [passed] = passing
  // Whether it ever passed is what tells a change of the target from code that does not work.
  if (sign === undefined && passed === undefined) return null
  const { classification, strength, text, fix } = sign ?? otherwise
  return {
    strength,
    classification,
    statements: [
      statement(
        `The code of the check failed: ${text}, ${quoted(message)}.`,
        shows(failing, artifacts.failure, quoted(message)),
        ...lastError(evidence),
      ),
      ...(passed
        ? [statement('The same check passed before.', shows(passed, artifacts.runs, 'the same check passed'))]
        : []),
    ],
    codeFix: fix,
    explainedBy: ['deployment', 'settings'],
  }
}

function lastError({ failing }: Evidence) {
  const lines = Object.values(failing.facts?.log ?? {}).flat()
  const last = lines.findLast(({ level }) => level === 'ERROR')
  return last ? [shows(failing, artifacts.log, `the last error in the log is ${quoted(last.msg)}`)] : []
}
