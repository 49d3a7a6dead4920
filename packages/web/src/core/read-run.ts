// What a sentence about a run needs, read from its evidence. Evidence is shown as agents reported it: nothing in it is certain.
import type { ShownResult } from '../api/types.ts'
import type { Assertion } from './assertion-words.ts'
import type { Run } from './verdict.ts'

type NetworkEvidence = NonNullable<ShownResult['tcpCheckResult']>

export function readRun(result: ShownResult): Run {
  const { apiCheckResult } = result
  return {
    statusCode: apiCheckResult?.response?.status,
    ...result,
    assertions: assertionsOf(result),
    address: apiCheckResult?.ip ?? addressOf(networkEvidence(result)),
    isHeartbeat: result.checkType === 'HEARTBEAT',
  }
}

export function assertionsOf(result: ShownResult): readonly Assertion[] {
  return result.apiCheckResult?.assertions ?? networkEvidence(result)?.assertions ?? []
}

/** Of all monitors but URL monitors. */
export function networkEvidence(result: ShownResult): NetworkEvidence | null {
  const {
    tcpCheckResult,
    dnsCheckResult,
    icmpCheckResult,
    grpcCheckResult,
    sslCheckResult,
    tracerouteCheckResult,
  } = result
  return (
    tcpCheckResult ??
    dnsCheckResult ??
    icmpCheckResult ??
    grpcCheckResult ??
    sslCheckResult ??
    tracerouteCheckResult ??
    null
  )
}

function addressOf(evidence: NetworkEvidence | null): string | null {
  const address = evidence?.response?.resolvedIp ?? evidence?.response?.ip
  return typeof address === 'string' ? address : null
}
