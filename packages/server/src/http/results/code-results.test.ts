// Results of runs of code with the files that they left, from the agent's upload to the link that opens them.
import { createHash } from 'node:crypto'
import type { Job, ReportedArtifact } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'

const minute = 60_000

let sim: Simulation
let agent: SimulatedAgent
let agentKey: string
beforeAll(async () => {
  sim = await startSimulation()
  agentKey = (await insertAgentKey(sim.api.store.db, 'test')).rawKey
  agent = sim.agentOf(agentKey)
})
afterAll(() => sim.close())

const results = {
  BROWSER: 'browserCheckResult',
  MULTI_STEP: 'multiStepCheckResult',
  PLAYWRIGHT: 'playwrightCheckResult',
  AGENTIC: 'agenticCheckResult',
} as const
const types = Object.keys(results) as (keyof typeof results)[]

async function upload(
  { token }: Pick<Job, 'token'>,
  about: Pick<ReportedArtifact, 'type' | 'name' | 'contentType'>,
): Promise<ReportedArtifact> {
  const bytes = Buffer.from(`the bytes of ${about.name}`)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const response = await fetch(`${sim.api.url}/agent/v1/artifacts/${sha256}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${agentKey}`,
      'x-run-token': token,
      'content-type': 'application/octet-stream',
    },
    body: bytes,
  })
  expect(response.status, await response.text()).toBe(200)
  return { ...about, sizeBytes: bytes.length, sha256 }
}

const left = [
  { type: 'report', name: 'report.json', contentType: 'application/json' },
  { type: 'screenshot', name: 'home.png', contentType: 'image/png' },
  { type: 'trace', name: 'buys/trace.zip', contentType: 'application/zip' },
  { type: 'video', name: 'buys/video.webm', contentType: 'video/webm' },
] as const

async function runOnce(): Promise<Job> {
  const [job] = await agent.claim({ freeCode: 1, checkTypes: types })
  if (job === undefined) throw new Error('there was nothing to run')
  const artifacts = await Promise.all(left.map((about) => upload(job, about)))
  const observed = { playwrightTraceFiles: [{ name: 'buys', filename: 'buys/trace.zip' }] }
  const detail = JSON.stringify({ failure: null, assertions: [], observed, jobLog: [] })
  expect(await agent.report({ ...job, statusCode: null, metrics: [5], detail, artifacts })).toEqual([true])
  return job
}

/** Opens a link without a key. */
async function open(url: string): Promise<{ status: number; text: string; type: string | null }> {
  const { pathname, search, origin } = new URL(url)
  expect(origin).toBe('http://vedette.test')
  const response = await fetch(`${sim.api.url}${pathname}${search}`)
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

function linksIn(shown: Record<string, unknown>): string[] {
  const one = (value: unknown) => (typeof value === 'string' ? [value] : Array.isArray(value) ? value : [])
  return [
    ...one(shown.jobAssets),
    ...one(shown.playwrightTestVideos),
    ...one(shown.playwrightTestTraces),
    ...one(shown.playwrightTestJsonReportFile),
  ]
}

async function expectFiles(type: keyof typeof results, shown: Record<string, unknown>): Promise<void> {
  const opened = await Promise.all(linksIn(shown).map(open))
  expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(opened.map(({ text }) => text).sort()).toEqual(left.map(({ name }) => `the bytes of ${name}`).sort())
  if (type === 'AGENTIC') return
  const { text } = await open(String(shown.playwrightTestJsonReportFile))
  expect(text).toBe('the bytes of report.json')
  if (type !== 'PLAYWRIGHT') return
  const [trace] = shown.playwrightTraceFiles as { name: string; filename: string; url: string }[]
  expect(trace).toMatchObject({ name: 'buys', filename: 'buys/trace.zip' })
  expect((await open(trace?.url ?? '')).text).toBe('the bytes of buys/trace.zip')
}

describe.each(types)('a result of %s', (type) => {
  it('200: links to the files that its run left; they open without a key, for some minutes', async () => {
    const frequency = type === 'AGENTIC' ? 5 : 1
    const check = await sim.createCheck({ checkType: type, frequency, runtimeId: null })
    sim.pass(5 * minute)
    const job = await runOnce()
    const path = `/v1/check-results/${check.id}/${job.resultId}`
    const shown = (await sim.api.alice.get(path)).body[results[type]]
    await expectFiles(type, shown)
    expect((await sim.api.bob.get(path)).status).toBe(404)
    const { entries } = (await sim.api.alice.get(`/v2/check-results/${check.id}`)).body
    expect(linksIn(entries[0][results[type]])).toEqual([])
    const { assets } = (await sim.api.alice.get(`${path}/assets`)).body
    expect(assets.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(left.map(({ name }) => name)),
    )
    sim.pass(16 * minute)
    expect((await open(linksIn(shown)[0] ?? '')).status).toBe(403)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('200: of a test session links to its files as well', async () => {
    const check = await sim.createCheck({ checkType: type, frequency: 60, runtimeId: null })
    const started = await sim.api.alice.post('/v1/test-sessions/trigger', {
      name: 'A test',
      runLocation: 'eu-west-1',
      target: { checkId: [check.id] },
    })
    expect(started.status, started.text).toBe(201)
    await runOnce()
    const { testSessionId } = started.body
    const session = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
    const path = `/v1/test-sessions/${testSessionId}/results/${session.results[0].testSessionResultId}`
    await expectFiles(type, (await sim.api.alice.get(path)).body[results[type]])
    expect((await sim.api.bob.get(path)).status).toBe(404)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })
})
