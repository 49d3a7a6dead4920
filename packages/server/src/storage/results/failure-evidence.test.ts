import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { listChanges } from './failure-evidence.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('listChanges', () => {
  const { request, ...example } = checkTypes.API.example as { request: object }

  async function changesOf(settings: object): Promise<string[]> {
    const { body, status, text } = await api.alice.post('/v1/checks/api', {
      ...example,
      request,
      ...settings,
    })
    expect(status, text).toBe(201)
    const of = { accountId: api.alice.accountId, checkId: body.id }
    const { settings: found } = await listChanges(api.store.db, of, { from: 0, to: Date.now() + 60_000 })
    return found.map(({ what }) => what).sort()
  }

  it('names the variables that the check, its group or its snippets mention, and all where that is sealed', async () => {
    for (const key of ['TOKEN', 'SHELF', 'UNUSED']) {
      await api.alice.post('/v1/variables', { key, value: 'some' })
    }
    const script = 'request.headers.token = process.env.TOKEN'
    const snippet = (await api.alice.post('/v1/snippets', { name: 'sign', script })).body
    const group = (
      await api.alice.post('/v1/check-groups', {
        ...{ name: 'Shop', locations: ['eu-west-1'] },
        apiCheckDefaults: { url: 'https://shop.test/{{SHELF}}' },
      })
    ).body

    expect(await changesOf({})).toEqual([])
    expect(await changesOf({ localSetupScript: script })).toEqual(['the variable TOKEN'])
    expect(await changesOf({ setupSnippetId: snippet.id })).toEqual(['the variable TOKEN'])
    expect(await changesOf({ localSetupScript: "require('./snippets/sign')" })).toEqual([
      'the variable TOKEN',
    ])
    expect(await changesOf({ groupId: group.id })).toEqual(['the variable SHELF'])
    const basicAuth = { username: 'shop', password: '{{TOKEN}}' }
    expect(await changesOf({ request: { ...request, basicAuth } })).toEqual([
      'the variable SHELF',
      'the variable TOKEN',
      'the variable UNUSED',
    ])
  })
})
