// The name: it does not resolve, or it leads elsewhere than when the check passed.
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  listed,
  type Proof,
  proof,
  quoted,
  type Rule,
  shows,
  statement,
} from '../finding.ts'

export const nameResolutionRule: Rule = (evidence): Finding | null =>
  unresolved(evidence) ?? otherAnswer(evidence) ?? otherAddress(evidence)

function unresolved({ failing, passing }: Evidence): Finding | null {
  const { facts } = failing
  const failure = facts?.failure
  const isName = failure?.kind === 'dns' || (failure?.kind === 'timeout' && failure.phase === 'dns')
  if (!isName || !facts || facts.dns !== null) return null
  const host = facts.target?.host ?? 'the name'
  const said = shows(failing, artifacts.dns, quoted(failure.message))
  const statements: Finding['statements'] = [
    statement(
      `The name ${host} could not be resolved${failure.code ? ` (${failure.code})` : ''}.`,
      said,
      ...resolverProofs(failing),
    ),
  ]
  const before = passing.find((run) => run.facts?.address)
  if (before)
    statements.push(
      statement(
        `It resolved to ${before.facts?.address} when the check last passed.`,
        shows(before, artifacts.dns, `connected to ${before.facts?.address}`),
      ),
    )
  return {
    strength: 92,
    classification: 'DNS_ERROR',
    statements,
    codeFix: /NOTFOUND|NXDOMAIN|ENODATA/.test(failure.code ?? '')
      ? `Check the DNS zone of ${host}: the record is missing, or exists only for the other address family.`
      : `Check the name servers of ${host} and the resolver of the location: neither returned a usable response.`,
    explainedBy: ['deployment', 'settings'],
  }
}

function resolverProofs(run: EvidenceRun, address?: string): Proof[] {
  const resolvers = (run.facts?.diagnostics?.resolvers ?? []).filter(
    ({ addresses }) => address === undefined || addresses.includes(address),
  )
  return resolvers.slice(0, 4).map(({ server, type, code, addresses }) => {
    const found = addresses.length > 0 ? `: ${listed(addresses)}` : ''
    return shows(run, artifacts.dns, `resolver ${server} returns ${code} for ${type}${found}`)
  })
}

/** Of a DNS monitor: the answer is not the one of the passing runs. */
function otherAnswer({ failing, passing }: Evidence): Finding | null {
  const now = failing.facts?.dns
  const answered = passing.filter((run) => run.facts?.dns)
  const [last] = answered
  const before = last?.facts?.dns
  if (!now || !last || !before) return null
  const known = new Set(answered.flatMap((run) => run.facts?.dns?.records ?? []))
  const fresh = now.records.filter((record) => !known.has(record))
  const gone = before.records.filter((record) => !now.records.includes(record))
  // Records that are handed out in turn differ from run to run: only what was never seen is a change.
  if (now.returnCode === before.returnCode && fresh.length === 0 && now.records.length > 0) return null
  const [was, is] = [before, now].map(
    ({ returnCode, records }) => `${returnCode} ${listed(records) || 'without records'}`,
  )
  const parts = [
    ...(now.returnCode === before.returnCode ? [] : [`${now.returnCode} instead of ${before.returnCode}`]),
    ...(fresh.length > 0 ? [`new: ${listed(fresh)}`] : []),
    ...(gone.length > 0 ? [`missing: ${listed(gone)}`] : []),
  ]
  return {
    strength: 90,
    classification: 'DNS_ERROR',
    statements: [
      statement(
        `The DNS response changed (${parts.join('; ')}).`,
        shows(failing, artifacts.dns, `the response was ${is}`),
        shows(last, artifacts.dns, `the response was ${was}`),
      ),
    ],
    codeFix:
      'Compare the records with those that the zone should contain; correct the zone, or the assertion if the change is intended.',
    explainedBy: ['deployment', 'settings'],
  }
}

/** The name leads to an address that no passing run was served by, and no longer to those that served them. */
function otherAddress({ failing, failures, passing, meanwhile }: Evidence): Finding | null {
  const address = failing.facts?.address
  const served = passing.filter((run) => run.facts?.address)
  const known = new Set(served.map((run) => run.facts?.address as string))
  const host = failing.facts?.target?.host
  const [last] = served
  if (!address || !host || host === address || !last || known.has(address)) return null
  // While others are still served, the name was not moved: that is for the rule about addresses.
  if (meanwhile.some((run) => run.facts?.address && run.facts.address !== address)) return null
  if (failures.some((run) => run.facts?.address && known.has(run.facts.address))) return null
  const answers = new Set((failing.facts?.diagnostics?.resolvers ?? []).flatMap(({ addresses }) => addresses))
  if ([...known].some((one) => answers.has(one))) return null
  const before = [...known]
  const isSteady = known.size === 1
  return {
    strength: isSteady ? 84 : 50,
    classification: 'DNS_ERROR',
    statements: [
      statement(
        `The name ${host} resolves to another address: ${address}, where runs fail, instead of ${listed(before)}, where they passed.`,
        shows(failing, artifacts.dns, `${host} resolved to ${address}`),
        ...resolverProofs(failing, address).slice(0, 2),
        proof(
          artifacts.dns,
          `${served.length} passing results before it, the last of them ${last.id}, used ${listed(before)}`,
        ),
      ),
    ],
    codeFix: `Check whether ${host} should resolve to ${address}. If not, correct the record; if so, check the server at that address.`,
    explainedBy: ['deployment', 'settings'],
  }
}
