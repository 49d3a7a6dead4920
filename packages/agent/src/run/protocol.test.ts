import * as contracts from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { networkCheckTypes } from '../checks/runners.ts'
import * as protocol from '../connection/protocol.ts'
import { metricsOf } from './reported-result.ts'

describe("the agent's copy of the protocol", () => {
  it('has the limits of the contract', () => {
    const { renewEveryMs, maxClaimWaitSeconds, maxResultsPerReport } = contracts
    const { maxStoredBodyBytes, maxDetailLength, maxArtifactBytes, maxArtifactsPerRun } = contracts
    expect(protocol).toMatchObject({
      renewEveryMs,
      maxClaimWaitSeconds,
      maxResultsPerReport,
      maxStoredBodyBytes,
      maxDetailLength,
      maxArtifactBytes,
      maxArtifactsPerRun,
      runTokenHeader: contracts.runTokenHeader,
    })
  })

  it('has the paths of the contract', () => {
    const { claimJobs, reportPresence, reportResults, reportError, askForArtifacts, reportLog } = contracts
    expect(protocol.paths).toEqual({
      claim: claimJobs.path,
      presence: reportPresence.path,
      results: reportResults.path,
      reports: reportError.path,
      wanted: askForArtifacts.path,
      logs: reportLog.path,
    })
    const { artifact, codeBundle, snapshot } = protocol.filePaths
    expect(artifact('{sha256}')).toBe(contracts.uploadArtifact.path)
    expect(codeBundle).toBe(contracts.downloadCodeBundle.path)
    expect(decodeURIComponent(snapshot('{key}'))).toBe(contracts.downloadSnapshot.path)
  })

  it('offers every network type that the server hands out without a filter', () => {
    expect([...contracts.networkCheckTypes].sort()).toEqual([...networkCheckTypes].sort())
  })

  it('lists no more leases than a presence may', () => {
    const presence = { agentId: crypto.randomUUID(), version: '1', state: 'running', startedAt: 0 }
    const parse = (count: number) =>
      contracts.reportPresence.body?.safeParse({ ...presence, leases: new Array(count).fill('x') }).success
    expect(parse(protocol.maxLeasesPerPresence)).toBe(true)
    expect(parse(protocol.maxLeasesPerPresence + 1)).toBe(false)
  })

  it('puts metrics into the order of the contract', () => {
    // Each value is made to name its metric.
    const named = (names: readonly string[]) => Object.fromEntries(names.map((name, at) => [name, at + 1]))
    const { API, TCP } = contracts.resultMetrics
    const http = { response: { timingPhases: named(API) } }
    expect(metricsOf('API', { responseTimeMs: 1, detail: http })).toEqual([1, 2, 3, 4, 5, 6])
    expect(metricsOf('URL', { responseTimeMs: 1, detail: http })).toEqual([1, 2, 3, 4, 5, 6])
    expect(metricsOf('TCP', { responseTimeMs: 1, detail: { timingPhases: named(TCP) } })).toEqual([
      1, 2, 3, 4,
    ])
    const dns = { response: { responseTime: 7 } }
    expect(metricsOf('DNS', { responseTimeMs: 7, detail: dns })).toEqual([7])
    const latency = { min: 2, max: 3, avg: 4, stdDev: 5 }
    const icmp = { response: { packetLoss: 1, latency } }
    expect(contracts.resultMetrics.ICMP).toEqual([
      'packetLoss',
      'latencyMin',
      'latencyMax',
      'latencyAvg',
      'latencyStdDev',
    ])
    expect(metricsOf('ICMP', { responseTimeMs: 4, detail: icmp })).toEqual([1, 2, 3, 4, 5])
    for (const type of networkCheckTypes) {
      const nothing = metricsOf(type, { responseTimeMs: null, detail: null })
      expect(nothing).toEqual(contracts.resultMetrics[type].map(() => null))
    }
  })
})
