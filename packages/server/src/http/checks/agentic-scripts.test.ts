import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgenticScripts, promptHashOf } from '../../testing/agentic-scripts.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const prompt = 'Open the shop and buy a pen'

async function scriptedCheck() {
  const { body, status } = await api.alice.post('/v1/checks/agentic', {
    name: 'Shop in words',
    prompt,
    locations: ['eu-west-1'],
  })
  expect(status).toBe(201)
  const checkId: string = body.id
  const ids = await createAgenticScripts(api.store, api.alice, { checkId, prompt })
  return { checkId, path: `/v1/checks/agentic/${checkId}/scripts`, ...ids }
}

async function statuses(path: string) {
  const { body } = await api.alice.get(path)
  return Object.fromEntries(body.map(({ id, status }: { id: string; status: string }) => [id, status]))
}

describe('GET /v1/checks/agentic/{id}/scripts', () => {
  it('200: lists what runs wrote, the newest first', async () => {
    const { path, currentId, proposedId } = await scriptedCheck()
    const { status, body } = await api.alice.get(path)
    expect(status).toBe(200)
    const shared = { promptHash: promptHashOf(prompt), isForCurrentPrompt: true, decidedAt: null }
    const written = { resultId: expect.any(String), created_at: expect.any(String) }
    expect(body).toEqual([
      { ...shared, ...written, id: proposedId, status: 'proposed', script: '// repaired' },
      { ...shared, ...written, id: currentId, status: 'current', script: '// first' },
    ])
  })

  it('200: shows that the prompt has changed since', async () => {
    const { checkId, path } = await scriptedCheck()
    await api.alice.put(`/v1/checks/agentic/${checkId}`, { prompt: 'Open the shop and buy two pens' })
    const { body } = await api.alice.get(path)
    expect(body.map((script: { isForCurrentPrompt: boolean }) => script.isForCurrentPrompt)).toEqual([
      false,
      false,
    ])
  })

  it('404: another account, another type of check, an unknown check', async () => {
    const { path } = await scriptedCheck()
    expect((await api.bob.get(path)).status).toBe(404)
    const { body } = await api.alice.post('/v1/checks/url', {
      name: 'A page',
      request: { url: 'https://example.com' },
      locations: ['eu-west-1'],
    })
    expect((await api.alice.get(`/v1/checks/agentic/${body.id}/scripts`)).status).toBe(404)
    expect((await api.alice.get(`/v1/checks/agentic/${randomUUID()}/scripts`)).status).toBe(404)
  })

  it('400: an invalid id', async () => {
    expect((await api.alice.get('/v1/checks/agentic/none/scripts')).status).toBe(400)
  })
})

describe('POST /v1/checks/agentic/{id}/scripts/{scriptId}/accept', () => {
  it('200: the proposed script replaces the current one', async () => {
    const { path, currentId, proposedId } = await scriptedCheck()
    const { status, body } = await api.alice.post(`${path}/${proposedId}/accept`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: proposedId, status: 'current', decidedAt: expect.any(String) })
    expect(await statuses(path)).toEqual({ [proposedId]: 'current', [currentId]: 'replaced' })
  })

  it("409: a script is decided once, and the current one can't be decided", async () => {
    const { path, currentId, proposedId } = await scriptedCheck()
    await api.alice.post(`${path}/${proposedId}/reject`)
    const again = await api.alice.post(`${path}/${proposedId}/accept`)
    expect(again.status).toBe(409)
    expect(again.body.attributes).toEqual({ status: 'rejected' })
    expect((await api.alice.post(`${path}/${currentId}/accept`)).status).toBe(409)
    expect(await statuses(path)).toEqual({ [proposedId]: 'rejected', [currentId]: 'current' })
  })

  it('409: of two concurrent decisions, one is refused', async () => {
    const { path, proposedId } = await scriptedCheck()
    const responses = await Promise.all([
      api.alice.post(`${path}/${proposedId}/accept`),
      api.alice.post(`${path}/${proposedId}/reject`),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('404: another account changes nothing, nor a script of another check', async () => {
    const { path, proposedId } = await scriptedCheck()
    const other = await scriptedCheck()
    expect((await api.bob.post(`${path}/${proposedId}/accept`)).status).toBe(404)
    expect((await api.alice.post(`${path}/${other.proposedId}/accept`)).status).toBe(404)
    expect((await api.alice.post(`${path}/${randomUUID()}/accept`)).status).toBe(404)
    expect(await statuses(path)).toMatchObject({ [proposedId]: 'proposed' })
  })

  it('403: a key that may only run decides nothing', async () => {
    const { path, proposedId } = await scriptedCheck()
    expect((await (await api.as('READ_RUN')).post(`${path}/${proposedId}/accept`)).status).toBe(403)
  })
})

describe('POST /v1/checks/agentic/{id}/scripts/{scriptId}/reject', () => {
  it('200: the current script stays in use', async () => {
    const { path, currentId, proposedId } = await scriptedCheck()
    const { status, body } = await api.alice.post(`${path}/${proposedId}/reject`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: proposedId, status: 'rejected', decidedAt: expect.any(String) })
    expect(await statuses(path)).toEqual({ [proposedId]: 'rejected', [currentId]: 'current' })
  })

  it('404: another account', async () => {
    const { path, proposedId } = await scriptedCheck()
    expect((await api.bob.post(`${path}/${proposedId}/reject`)).status).toBe(404)
  })
})
