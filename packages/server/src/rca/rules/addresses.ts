// One of several addresses is faulty: runs that connect to it fail, the others pass.
import type { Evidence } from '../evidence.ts'
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
import { hostPart } from '../run-facts.ts'

export const addressesRule: Rule = (evidence): Finding | null =>
  byRuns(evidence) ?? withinRun(evidence) ?? byFamily(evidence)

/** Across runs: since the failures began, none passed at this address, and some passed at others. */
function byRuns({ failing, failures, meanwhile }: Evidence): Finding | null {
  const address = failing.facts?.address
  const host = failing.facts?.target?.host
  if (!address || !host) return null
  const failed = [failing, ...failures].filter((run) => run.facts?.address)
  const passed = meanwhile.filter((run) => run.facts?.address)
  const good = [...new Set(passed.flatMap((run) => run.facts?.address ?? []))]
  if (failed.some((run) => run.facts?.address !== address) || good.length === 0 || good.includes(address))
    return null
  // One failure and one success at two addresses may be chance. If a location always gets this address, the location may be the cause.
  const isMixed = passed.some(({ location }) => location === failing.location)
  const isWide = new Set(failed.map(({ location }) => location)).size > 1
  if (failed.length + passed.length < 3 || !(isMixed || isWide)) return null
  return {
    strength: failed.length > 1 ? 88 : 76,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `Of the addresses of ${host}, only ${address} is faulty: every run that connected to it failed, while runs that connected to ${formatList(good)} passed at the same time.`,
        proof(
          artifacts.connection,
          `${failed.length} failing results connected to ${address}: ${formatList(failed.map(({ id }) => id))}`,
        ),
        proof(
          artifacts.connection,
          `${passed.length} passing results connected to ${formatList(good)}: ${formatList(passed.map(({ id }) => id))}`,
        ),
        ...resolverProofs(failing),
      ),
      statement(
        `At this address, the run failed with ${quote(failing.failure?.message ?? '')}.`,
        runProof(failing, artifacts.failure, quote(failing.failure?.message ?? '')),
      ),
    ],
    codeFix: `Take ${address} out of rotation (DNS record or load balancer), and compare that machine with the others.`,
    explainedBy: ['deployment'],
  }
}

function resolverProofs(run: Evidence['failing']): Proof[] {
  const addresses = [
    ...new Set((run.facts?.diagnostics?.resolvers ?? []).flatMap((resolver) => resolver.addresses)),
  ]
  return addresses.length === 0
    ? []
    : [runProof(run, artifacts.dns, `resolvers return ${formatList(addresses)}`)]
}

/** Within one run: the run was slow because it tried a faulty address before another responded. */
function withinRun({ failing }: Evidence): Finding | null {
  const tried = failing.facts?.tried ?? []
  const bad = tried.filter(({ failure }) => failure !== null)
  const good = tried.find(({ failure }) => failure === null)
  const { tcp } = failing.phases
  const isSlow = tcp !== null && failing.responseTimeMs !== null && tcp > failing.responseTimeMs / 2
  if (bad.length === 0 || good === undefined || !isSlow || failing.failure?.kind !== 'response_time')
    return null
  const failedAddresses = bad.map(({ address }) => hostPart(address) ?? address)
  return {
    strength: 90,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `${formatList(failedAddresses)} did not respond before ${hostPart(good.address)} did; trying ${failedAddresses.length === 1 ? 'it' : 'them'} took ${Math.round(tcp)} of the ${Math.round(failing.responseTimeMs ?? 0)} ms.`,
        runProof(
          failing,
          artifacts.connection,
          bad.map(({ address, failure }) => `${address}: ${failure?.message}`).join('; '),
        ),
        runProof(failing, artifacts.timings, `connecting took ${Math.round(tcp)} ms`),
      ),
    ],
    codeFix: `Take ${formatList(failedAddresses)} out of the DNS records until ${failedAddresses.length === 1 ? 'it works' : 'they work'} again.`,
    explainedBy: ['deployment'],
  }
}

function byFamily({ failing }: Evidence): Finding | null {
  const fallback = failing.facts?.diagnostics?.ipv4Fallback
  const address = failing.facts?.address
  if (!fallback?.works || !address?.includes(':')) return null
  const good = fallback.tried.find(({ failure }) => failure === null)?.address ?? 'an IPv4 address'
  return {
    strength: 86,
    classification: 'NETWORK_ERROR',
    statements: [
      statement(
        `IPv6 is broken while IPv4 works: ${address} fails, but ${good} accepts connections.`,
        runProof(
          failing,
          artifacts.connection,
          `${address}: ${quote(failing.failure?.message ?? '')}; a connection to ${good} succeeded right after it`,
        ),
      ),
    ],
    codeFix:
      'Fix IPv6 between the location and the target, or remove the AAAA record; until then, set ipFamily to IPv4.',
    explainedBy: ['deployment'],
  }
}
