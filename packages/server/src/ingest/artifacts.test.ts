import type { ReportedArtifact } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uploadFile } from '../testing/artifacts.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

let simulation: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  simulation = await startSimulation()
  agent = await simulation.operator(['eu-west-1'])
})
afterAll(() => simulation.close())

const file = (content: string, name = 'a.png') =>
  uploadFile(simulation.api, simulation.api.alice.accountId, { content, name }, simulation.now())

async function claimOne() {
  const { id } = await simulation.createCheck()
  simulation.pass(70_000)
  const job = (await agent.claim()).find(({ checkId }) => checkId === id)
  if (job === undefined) throw new Error('nothing was handed out')
  return job
}

async function namesOf(path: string): Promise<string[]> {
  const { status, body, text } = await simulation.api.alice.get(`${path}/assets`)
  expect(status, text).toBe(200)
  return body.assets.map(({ name }: { name: string }) => name)
}

describe('the files of a run', () => {
  it('are recorded once with its result, however often it is reported', async () => {
    const job = await claimOne()
    const artifacts = [await file('one', 'one.png'), await file('two', 'sub/two.png')]
    expect(await agent.report({ ...job, artifacts })).toEqual([true])
    expect(await agent.report({ ...job, artifacts: [await file('three', 'three.png')] })).toEqual([true])
    expect(await namesOf(`/v1/check-results/${job.checkId}/${job.resultId}`)).toEqual([
      'one.png',
      'sub/two.png',
    ])
  })

  it('are left out if their bytes are missing or belong to another account', async () => {
    const { api } = simulation
    const job = await claimOne()
    const foreign = await uploadFile(api, api.bob.accountId, { content: 'of bob', name: 'bob.png' })
    const never: ReportedArtifact = { ...foreign, name: 'never.png', sha256: 'a'.repeat(64) }
    const artifacts = [foreign, never, await file('mine', 'mine.png')]
    expect(await agent.report({ ...job, artifacts })).toEqual([true])
    expect(await namesOf(`/v1/check-results/${job.checkId}/${job.resultId}`)).toEqual(['mine.png'])
  })

  it('have their actual size, whatever the agent reports', async () => {
    const job = await claimOne()
    await agent.report({ ...job, artifacts: [{ ...(await file('seven b')), sizeBytes: 1 }] })
    const { body } = await simulation.api.alice.get(`/v1/check-results/${job.checkId}/${job.resultId}/assets`)
    expect(body.assets[0].sizeBytes).toBe(7)
  })

  it('of a test session belong to the attempt that uploaded them', async () => {
    const { alice } = simulation.api
    const { id } = await simulation.createCheck()
    const session = await alice.post('/v1/test-sessions/trigger', {
      name: 'Before the release',
      runLocation: 'eu-west-1',
      target: { checkId: [id] },
    })
    expect(session.status, session.text).toBe(201)
    const job = (await agent.claim()).find(({ source, checkId }) => source === 'test' && checkId === id)
    if (job === undefined) throw new Error('nothing was handed out')
    expect(await agent.report({ ...job, artifacts: [await file('tested', 'tested.png')] })).toEqual([true])
    const path = `/v1/test-sessions/${session.body.testSessionId}`
    const { results } = (await alice.get(path)).body
    expect(results).toHaveLength(1)
    const result = `${path}/results/${results[0].testSessionResultId}`
    expect(await namesOf(result)).toEqual(['tested.png'])
    const [asset] = (await alice.get(`${result}/assets`)).body.assets
    expect(asset.source).toMatchObject({
      type: 'test-session-result',
      resultId: results[0].testSessionResultId,
    })
    expect((await fetch(simulation.api.url + asset.url)).status).toBe(200)
  })
})
