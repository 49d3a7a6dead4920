import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { deploy, sampleProject, urlCheck } from '../../testing/sample-project.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

interface Imported {
  type: string
  logicalId: string
  physicalId: string | number
  payload: Record<string, unknown>
}

describe('importing what an account has', () => {
  const sample = sampleProject('source')
  const everything = { filters: [{ type: 'include' }], friends: [] }
  let resources: Imported[]

  it('is refused without anything to import, and for projects of others', async () => {
    await api.alice.post('/next/projects', { logicalId: 'target', name: 'Target' })
    expect((await api.alice.post('/next/projects', { logicalId: 'target', name: 'T' })).status).toBe(409)
    const none = await api.alice.post('/next/projects/target/imports', everything)
    expect(none.status).toBe(404)
    expect(none.body.message).toBe('No importable resources were found.')
    expect((await api.bob.post('/next/projects/target/imports', everything)).status).toBe(404)
  })

  it('plans resources of all types, without secrets', async () => {
    await deploy(api.alice, sample)
    const { body } = await api.alice.delete('/v1/projects/source?preserveResources=true')
    await api.alice.get(`/v1/projects/source/deployments/${body.id}/completion?maxWaitSeconds=30`)
    const preview = await api.alice.post('/next/projects/target/imports?preview=true', everything)
    expect(preview.status).toBe(201)
    expect((await api.alice.get('/next/projects/target/imports')).body).toEqual([])
    const plan = await api.alice.post('/next/projects/target/imports', everything)
    resources = plan.body.changes.resources
    expect(new Set(resources.map(({ type }) => type))).toEqual(
      new Set(sample.resources.map(({ type }) => type)),
    )
    expect(resources).toHaveLength(sample.resources.length)
    expect(plan.text).not.toMatch(/a (group|check) secret/)
    const { rows } = await api.store.pool.query('select resources::text as text from import_plans')
    expect(rows[0].text).not.toContain('payload')
  })

  it('is applied, deployed without deleting anything, and committed', async () => {
    const [plan] = (await api.alice.get('/next/projects/target/imports?onlyUncommitted=true')).body
    const path = `/next/projects/imports/${plan.id}`
    expect((await api.alice.post(`${path}/commit`)).status).toBe(403)
    expect((await api.bob.post(`${path}/apply`)).status).toBe(404)
    expect((await api.alice.post(`${path}/apply`)).body.appliedAt).toEqual(expect.any(String))
    expect((await api.alice.post(`${path}/apply`)).status).toBe(403)
    const url = resources.find(({ logicalId, type }) => type === 'check' && logicalId === 'url')
    const imported = await deploy(api.alice, {
      project: { logicalId: 'target', name: 'Target' },
      sharedFiles: [],
      resources: [urlCheck('url', { name: 'By code' })],
    })
    expect(imported.result.diff).toMatchObject([{ action: 'UPDATE', physicalId: url?.physicalId }])
    const { body: check } = await api.alice.get(`/v1/checks/${url?.physicalId}`)
    expect(check).toMatchObject({
      name: 'By code',
      projectBindings: { owner: { binding: { pending: true } } },
    })
    expect((await api.alice.post(`${path}/commit`)).body.committedAt).toEqual(expect.any(String))
    expect((await api.alice.delete(path)).status).toBe(403)
    expect((await api.alice.get('/next/projects/imports?onlyUncommitted=true')).body).toEqual([])
    const preview = await api.alice.post('/v1/projects/deploy?dryRun=true', {
      project: { logicalId: 'target', name: 'Target' },
      resources: [],
    })
    expect(preview.body.diff).toHaveLength(sample.resources.length)
  })

  it('can be limited and canceled', async () => {
    const body = { name: 'x', locations: ['eu-west-1'], request: { url: 'https://example.com' } }
    const { body: check } = await api.alice.post('/v1/checks/url?autoAssignAlerts=false', body)
    await api.alice.post('/v1/snippets', { name: 's', script: 'x' })
    await api.alice.post('/v2/check-groups?autoAssignAlerts=false', { name: 'g', locations: ['eu-west-1'] })
    const only = { type: 'include', resource: { type: 'check', physicalId: check.id } }
    const plan = await api.alice.post('/next/projects/target/imports', {
      filters: [{ type: 'exclude' }, only],
    })
    expect(plan.body.changes.auxiliary).toMatchObject([{ type: 'snippet', payload: { name: 's' } }])
    expect(plan.body.changes.resources).toMatchObject([
      { type: 'check', physicalId: check.id, logicalId: 'x' },
    ])
    expect((await api.alice.delete(`/next/projects/imports/${plan.body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/next/projects/imports/${plan.body.id}`)).status).toBe(404)
  })
})
