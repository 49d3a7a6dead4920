// One of several addresses is bad: runs that meet it fail, the others pass.
import type { Evidence } from '../evidence.ts'
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
import { hostPart } from '../run-facts.ts'

export const addressesRule: Rule = (evidence): Finding | null =>
  byRuns(evidence) ?? withinRun(evidence) ?? byFamily(evidence)

/** Across runs: since the trouble began, none passed at this address, and some passed at others. */
function byRuns({ failing, failures, meanwhile }: Evidence): Finding | null {
  const address = failing.facts?.address
  const host = failing.facts?.target?.host
  if (!address || !host) return null
  const failed = [failing, ...failures].filter((run) => run.facts?.address)
  const passed = meanwhile.filter((run) => run.facts?.address)
  const good = [...new Set(passed.map((run) => run.facts?.address as string))]
  if (failed.some((run) => run.facts?.address !== address) || good.length === 0 || good.includes(address))
    return null
  // One failure and one success at two addresses may be chance, and a place that is always sent elsewhere tells of the place.
  const isMixed = passed.some(({ location }) => location === failing.location)
  const isWide = new Set(failed.map(({ location }) => location)).size > 1
  if (failed.length + passed.length < 3 || !(isMixed || isWide)) return null
  return {
    strength: failed.length > 1 ? 88 : 76,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `Of the addresses of ${host}, only ${address} is faulty: every run that connected to it failed, while runs that connected to ${listed(good)} passed at the same time.`,
        proof(
          artifacts.connection,
          `${failed.length} failing results connected to ${address}: ${listed(failed.map(({ id }) => id))}`,
        ),
        proof(
          artifacts.connection,
          `${passed.length} passing results connected to ${listed(good)}: ${listed(passed.map(({ id }) => id))}`,
        ),
        ...answersOf(failing),
      ),
      statement(
        `At this address, the run failed with ${quoted(failing.failure?.message ?? '')}.`,
        shows(failing, artifacts.failure, quoted(failing.failure?.message ?? '')),
      ),
    ],
    codeFix: `Take ${address} out of rotation (DNS record or load balancer), and compare that machine with the others.`,
    explainedBy: ['deployment'],
  }
}

function answersOf(run: Evidence['failing']): Proof[] {
  const answers = [
    ...new Set((run.facts?.diagnostics?.resolvers ?? []).flatMap(({ addresses }) => addresses)),
  ]
  return answers.length === 0 ? [] : [shows(run, artifacts.dns, `resolvers return ${listed(answers)}`)]
}

/** Within one run: an address was tried in vain before another answered, and that took the time. */
function withinRun({ failing }: Evidence): Finding | null {
  const tried = failing.facts?.tried ?? []
  const bad = tried.filter(({ failure }) => failure !== null)
  const good = tried.find(({ failure }) => failure === null)
  const { tcp } = failing.phases
  const isSlow = tcp !== null && failing.responseTimeMs !== null && tcp > failing.responseTimeMs / 2
  if (bad.length === 0 || good === undefined || !isSlow || failing.failure?.kind !== 'response_time')
    return null
  const places = bad.map(({ address }) => hostPart(address) ?? address)
  return {
    strength: 90,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `${listed(places)} did not respond before ${hostPart(good.address)} did; trying ${places.length === 1 ? 'it' : 'them'} took ${Math.round(tcp)} of the ${Math.round(failing.responseTimeMs ?? 0)} ms.`,
        shows(
          failing,
          artifacts.connection,
          bad.map(({ address, failure }) => `${address}: ${failure?.message}`).join('; '),
        ),
        shows(failing, artifacts.timings, `connecting took ${Math.round(tcp)} ms`),
      ),
    ],
    codeFix: `Take ${listed(places)} out of the DNS records until ${places.length === 1 ? 'it works' : 'they work'} again.`,
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
        shows(
          failing,
          artifacts.connection,
          `${address}: ${quoted(failing.failure?.message ?? '')}; a connection to ${good} succeeded right after it`,
        ),
      ),
    ],
    codeFix:
      'Fix IPv6 between the location and the target, or remove the AAAA record; until then, set ipFamily to IPv4.',
    explainedBy: ['deployment'],
  }
}
