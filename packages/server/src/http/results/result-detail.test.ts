import { describe, expect, it } from 'vitest'
import { pcapDataUrl } from '../../testing/results.ts'
import { captureOf, readDetail, serializeLog } from './result-detail.ts'
import { serializeEvidence } from './serialize-evidence.ts'

const read = (detail: unknown) => readDetail(JSON.stringify(detail))
const line = (msg: string) => ({ time: 1, msg, level: 'INFO' })

describe('the stored evidence of a run', () => {
  it('is null without evidence', () => {
    expect(readDetail(null)).toBeNull()
  })

  it.each(['', '{"failure":', '[]', '7', 'null'])('is null for invalid evidence: %s', (text) => {
    expect(readDetail(text)).toBeNull()
  })

  it('is null when it is nested without end, and else as deep as it is', () => {
    const nested = (depth: number) => `{"observed":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`
    expect(readDetail(nested(500_000))).toBeNull()
    expect(readDetail(nested(500))).not.toBeNull()
    expect(readDetail(`{"observed":{"x":"\\"${'['.repeat(5_000)}"}}`)).not.toBeNull()
  })

  it("leaves out what doesn't match the contract, and keeps the rest", () => {
    const detail = read({
      failure: { kind: 'witchcraft', message: 7 },
      assertions: 'none',
      observed: { request: 'GET', response: { status: '200' }, requestError: 'broken', tried: {} },
      jobLog: { setup: [] },
      diagnostics: [],
    })
    expect(detail).toMatchObject({
      failure: null,
      assertions: [],
      jobLog: null,
      diagnostics: null,
      pcapDataUrl: null,
    })
    expect(serializeEvidence('API', detail).apiCheckResult).toEqual({
      assertions: [],
      requestError: 'broken',
      jobLog: null,
      jobAssets: null,
      pcapDataUrl: null,
      ip: null,
      tls: null,
      tried: [],
      redirects: [],
      breakdown: null,
    })
  })

  it('keeps the packets of a capture apart from the diagnostics', () => {
    const packets = Buffer.from([0xd4, 0xc3, 0xb2, 0xa1])
    const url = pcapDataUrl(packets)
    const detail = read({ diagnostics: { addresses: ['192.0.2.1'], pcapDataUrl: url } })
    expect(detail?.diagnostics).toEqual({ addresses: ['192.0.2.1'] })
    expect(detail && captureOf(detail)).toEqual(packets)
    expect(serializeEvidence('API', detail).apiCheckResult?.pcapDataUrl).toBe(url)
    expect(serializeEvidence('TCP', detail).tcpCheckResult?.pcapDataUrl).toBe(url)
  })

  it.each([
    'https://example.com/a.pcap',
    'data:text/html;base64,aGk=',
    'data:application/vnd.tcpdump.pcap;base64,',
    'data:application/vnd.tcpdump.pcap;base64,<b>,aGk=',
    7,
  ])("doesn't pass on a link that isn't a capture: %s", (url) => {
    const detail = read({ diagnostics: { pcapDataUrl: url } })
    expect(detail?.pcapDataUrl).toBeNull()
    expect(detail?.diagnostics).toEqual({})
    expect(detail && captureOf(detail)).toBeNull()
  })

  it('is in the field of the type, all others are null', () => {
    const detail = read({ observed: { request: {}, response: { responseTime: 7 }, mode: 'raw' } })
    for (const [type, name] of [
      ['TCP', 'tcpCheckResult'],
      ['DNS', 'dnsCheckResult'],
      ['ICMP', 'icmpCheckResult'],
      ['API', 'apiCheckResult'],
      ['URL', 'apiCheckResult'],
      ['HEARTBEAT', undefined],
    ] as const) {
      const filled = Object.entries(serializeEvidence(type, detail)).filter(([, value]) => value !== null)
      expect(filled.map(([field]) => field)).toEqual(name === undefined ? [] : [name])
    }
    expect(serializeEvidence('DNS', detail).dnsCheckResult).toEqual({
      request: {},
      response: { responseTime: 7 },
      assertions: [],
      requestError: null,
      timingPhases: { total: 7 },
      pcapDataUrl: null,
      mode: 'raw',
    })
  })

  it('has its log per phase for API checks and URL monitors, else as one list', () => {
    const jobLog = { setup: [line('a')], request: [line('b')], teardown: [line('c')] }
    const detail = read({ jobLog })
    if (detail === null) throw new Error('no detail')
    expect(serializeLog('API', detail)).toEqual(jobLog)
    expect(serializeLog('URL', detail)).toEqual(jobLog)
    expect(serializeLog('TCP', detail)).toEqual([line('a'), line('b'), line('c')])
    expect(serializeLog('TCP', { ...detail, jobLog: null })).toBeNull()
  })
})
