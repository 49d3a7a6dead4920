// The name doesn't resolve, or resolves to other addresses than when the check passed.
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  formatList,
  type Proof,
  proof,
  quote,
  type Rule,
  runProof,
  statement,
} from '../finding.ts'

export const nameResolutionRule: Rule = (evidence): Finding | null =>
  unresolvedName(evidence) ?? changedResponse(evidence) ?? changedAddress(evidence)

function unresolvedName({ failing, passing }: Evidence): Finding | null {
  const { facts } = failing
  const failure = facts?.failure
  const isName = failure?.kind === 'dns' || (failure?.kind === 'timeout' && failure.phase === 'dns')
  if (!isName || !facts || facts.dns !== null) return null
  const host = facts.target?.host ?? 'the name'
  const failureProof = runProof(failing, artifacts.dns, quote(failure.message))
  const statements: Finding['statements'] = [
    statement(
      `The name ${host} could not be resolved${failure.code ? ` (${failure.code})` : ''}.`,
      failureProof,
      ...resolverProofs(failing),
    ),
  ]
  const before = passing.find((run) => run.facts?.address)
  if (before)
    statements.push(
      statement(
        `It resolved to ${before.facts?.address} when the check last passed.`,
        runProof(before, artifacts.dns, `connected to ${before.facts?.address}`),
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
    const list = addresses.length > 0 ? `: ${formatList(addresses)}` : ''
    return runProof(run, artifacts.dns, `resolver ${server} returns ${code} for ${type}${list}`)
  })
}

/** The response to a DNS monitor differs from those of passing runs. */
function changedResponse({ failing, passing }: Evidence): Finding | null {
  const now = failing.facts?.dns
  const responded = passing.filter((run) => run.facts?.dns)
  const [last] = responded
  const before = last?.facts?.dns
  if (!now || !last || !before) return null
  const known = new Set(responded.flatMap((run) => run.facts?.dns?.records ?? []))
  const fresh = now.records.filter((record) => !known.has(record))
  const gone = before.records.filter((record) => !now.records.includes(record))
  // Rotating records differ from run to run: only a record that was never seen is a change.
  if (now.returnCode === before.returnCode && fresh.length === 0 && now.records.length > 0) return null
  const [was, is] = [before, now].map(
    ({ returnCode, records }) => `${returnCode} ${formatList(records) || 'without records'}`,
  )
  const parts = [
    ...(now.returnCode === before.returnCode ? [] : [`${now.returnCode} instead of ${before.returnCode}`]),
    ...(fresh.length > 0 ? [`new: ${formatList(fresh)}`] : []),
    ...(gone.length > 0 ? [`missing: ${formatList(gone)}`] : []),
  ]
  return {
    strength: 90,
    classification: 'DNS_ERROR',
    statements: [
      statement(
        `The DNS response changed (${parts.join('; ')}).`,
        runProof(failing, artifacts.dns, `the response was ${is}`),
        runProof(last, artifacts.dns, `the response was ${was}`),
      ),
    ],
    codeFix:
      'Compare the records with those that the zone should contain; correct the zone, or the assertion if the change is intended.',
    explainedBy: ['deployment', 'settings'],
  }
}

/** The name resolves to an address that no passing run used, and no longer to the addresses that they used. */
function changedAddress({ failing, failures, passing, meanwhile }: Evidence): Finding | null {
  const address = failing.facts?.address
  const served = passing.filter((run) => run.facts?.address)
  const known = new Set(served.flatMap((run) => run.facts?.address ?? []))
  const host = failing.facts?.target?.host
  const [last] = served
  if (!address || !host || host === address || !last || known.has(address)) return null
  // While other addresses still work, the addresses rule applies.
  if (meanwhile.some((run) => run.facts?.address && run.facts.address !== address)) return null
  if (failures.some((run) => run.facts?.address && known.has(run.facts.address))) return null
  const resolved = new Set(
    (failing.facts?.diagnostics?.resolvers ?? []).flatMap(({ addresses }) => addresses),
  )
  if ([...known].some((one) => resolved.has(one))) return null
  const before = [...known]
  const isSteady = known.size === 1
  return {
    strength: isSteady ? 84 : 50,
    classification: 'DNS_ERROR',
    statements: [
      statement(
        `The name ${host} resolves to another address: ${address}, where runs fail, instead of ${formatList(before)}, where they passed.`,
        runProof(failing, artifacts.dns, `${host} resolved to ${address}`),
        ...resolverProofs(failing, address).slice(0, 2),
        proof(
          artifacts.dns,
          `${served.length} passing results before it, the last of them ${last.id}, used ${formatList(before)}`,
        ),
      ),
    ],
    codeFix: `Check whether ${host} should resolve to ${address}. If not, correct the record; if so, check the server at that address.`,
    explainedBy: ['deployment', 'settings'],
  }
}
