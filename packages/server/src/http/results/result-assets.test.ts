import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, pcapDataUrl, type SomeResult } from '../../testing/results.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const packets = Buffer.concat([Buffer.from([0xd4, 0xc3, 0xb2, 0xa1, 0, 255]), Buffer.alloc(3_000, 7)])
const line = { time: 1, msg: 'resolved', level: 'INFO' }
const observed = { request: { hostname: 'example.com' }, response: null, requestError: 'refused' }
const assertions = [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '9' }]
const everything = {
  assertions,
  observed,
  jobLog: { setup: [], request: [line], teardown: [] },
  diagnostics: { pcapDataUrl: pcapDataUrl(packets) },
}

async function resultWith(detail: SomeResult['detail'], type: 'API' | 'TCP' = 'TCP') {
  const check = await api.alice.post(`/v1/checks/${checkTypes[type].path}`, checkTypes[type].example)
  const checkId: string = check.body.id
  const result = { accountId: api.alice.accountId, checkId, checkType: type, scheduledAt: Date.now(), detail }
  const [id] = await insertResults(api.store, [result as SomeResult])
  return { checkId, id, name: check.body.name, path: `/v1/check-results/${checkId}/${id}` }
}

describe('GET /v1/check-results/{checkId}/{checkResultId}/assets', () => {
  it('200: names every file, and each is there', async () => {
    const { path, checkId, id, name } = await resultWith(everything)
    const { status, body } = await api.alice.get(`${path}/assets`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ truncated: false, entriesReturned: 3, entriesTotal: 3 })
    const source = { type: 'check-result', checkId, checkName: name, checkType: 'TCP', resultId: id }
    expect(body.assets).toMatchObject([
      { type: 'log', name: 'logs.json', contentType: 'application/json', source },
      { type: 'file', name: 'check-run-data.json', contentType: 'application/json', source },
      { type: 'pcap', name: 'capture.pcap', contentType: 'application/vnd.tcpdump.pcap', source },
    ])
    const responses = await Promise.all(body.assets.map(({ url }: { url: string }) => api.alice.get(url)))
    for (const [index, response] of responses.entries()) {
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain(body.assets[index].contentType)
    }
    expect(responses.slice(0, 2).map((response) => response.body)).toEqual([
      [line],
      { ...observed, assertions },
    ])
  })

  it('200: the capture has the recorded bytes', async () => {
    const { path, checkId, id } = await resultWith(everything, 'API')
    expect((await api.alice.get(path)).body.apiCheckResult.pcapDataUrl).toBe(pcapDataUrl(packets))
    const url = `${api.url}/v1/assets/check-results/${checkId}/${id}/capture.pcap`
    const response = await fetch(url, { headers: { authorization: `Bearer ${api.alice.key}` } })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(packets)
  })

  it('200: the log of an API check is per phase', async () => {
    const { checkId, id } = await resultWith(everything, 'API')
    const { body } = await api.alice.get(`/v1/assets/check-results/${checkId}/${id}/logs.json`)
    expect(body).toEqual(everything.jobLog)
  })

  it.each([
    ['type=pcap', ['capture.pcap']],
    ['name=logs.json', ['logs.json']],
    ['type=pcap&name=logs.json', []],
    ['type=video', []],
  ])('200: %s', async (query, expected) => {
    const { path } = await resultWith(everything)
    const { body } = await api.alice.get(`${path}/assets?${query}`)
    expect(body.assets.map(({ name }: { name: string }) => name)).toEqual(expected)
    expect(body.entriesTotal).toBe(expected.length)
  })

  it('200: a run that left only its data has only that; one without evidence has nothing', async () => {
    const quiet = await resultWith({ observed })
    const { assets } = (await api.alice.get(`${quiet.path}/assets`)).body
    expect(assets.map(({ name }: { name: string }) => name)).toEqual(['check-run-data.json'])
    const gone = await resultWith(null)
    expect((await api.alice.get(`${gone.path}/assets`)).body.assets).toEqual([])
  })

  it('400: a type that there is not', async () => {
    const { path } = await resultWith(everything)
    const { status, body } = await api.alice.get(`${path}/assets?type=zip`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, ['type']])
  })
})

describe.each(['logs.json', 'check-run-data.json', 'capture.pcap'])('GET /v1/assets/…/%s', (name) => {
  it('404: without evidence, and for another account', async () => {
    const gone = await resultWith(null)
    expect((await api.alice.get(`/v1/assets/check-results/${gone.checkId}/${gone.id}/${name}`)).status).toBe(
      404,
    )
    const kept = await resultWith(everything)
    const path = `/v1/assets/check-results/${kept.checkId}/${kept.id}/${name}`
    expect((await api.bob.get(path)).status).toBe(404)
    expect((await api.alice.get(path)).status).toBe(200)
  })
})
