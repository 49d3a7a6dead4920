// An activated check always has a location: its own, or its group's.
import { checkRoutesOf, checkTypeNames, checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const request = { url: 'https://example.com/' }
const url = (fields: object) => ({ name: 'Home', request, ...fields })
const create = (fields: object) => api.alice.post('/v1/checks/url', url(fields))

async function createGroup(fields: object, version = 'v2'): Promise<number> {
  const response = await api.alice.post(`/${version}/check-groups`, { name: 'Shop', ...fields })
  expect(response.status, response.text).toBe(201)
  return response.body.id
}

describe('a check without any location', () => {
  it.each(checkTypeNames)('%s: is refused when it is created, unless it is a heartbeat', async (type) => {
    const { locations: _, ...body } = {
      locations: [],
      ...checkTypes[type].example,
      ...(await bundleOf(type)),
    }
    const response = await api.alice.post(checkRoutesOf[type].create.path, body)
    if (type === 'HEARTBEAT') return expect(response.status, response.text).toBe(201)
    expect(response.status, response.text).toBe(400)
    expect(response.body.attributes.locations).toMatch(
      /^is empty and the check has no other location.*send locations/,
    )
    const inactive = await api.alice.post(checkRoutesOf[type].create.path, { ...body, activated: false })
    expect(inactive.status, inactive.text).toBe(201)
    const activated = await api.alice.put(`${checkRoutesOf[type].create.path}/${inactive.body.id}`, {
      activated: true,
    })
    expect(activated.status).toBe(400)
  })

  it('400: on the route for checks of any type, with the mistyped field named', async () => {
    const response = await api.alice.post('/v1/checks', url({ checkType: 'URL', location: ['eu-west-1'] }))
    expect(response.status).toBe(400)
    expect(response.headers.get('vedette-ignored')).toBe('body.location')
    expect(response.body.attributes.locations).toMatch(/could never run/)
  })

  it.each([
    ['an empty list', []],
    ['null', null],
  ])('400: when an update leaves %s, and nothing has changed', async (_name, locations) => {
    const { body: check } = await create({ locations: ['eu-west-1'] })
    for (const path of [`/v1/checks/url/${check.id}`, `/v1/checks/${check.id}`]) {
      const response = await api.alice.put(path, { locations, name: 'Other' })
      expect(response.status).toBe(400)
    }
    const { body: after } = await api.alice.get(`/v1/checks/${check.id}`)
    expect(after).toMatchObject({ name: 'Home', locations: ['eu-west-1'] })
    expect((await api.alice.put(`/v1/checks/url/${check.id}`, { locations, activated: false })).status).toBe(
      200,
    )
  })

  it('201: a private location without an agent is a location', async () => {
    const made = await api.alice.post('/v1/private-locations', { name: 'Cellar', slugName: 'cellar' })
    expect(made.status).toBe(201)
    expect((await create({ privateLocations: ['cellar'] })).status).toBe(201)
    const response = await api.alice.post('/v1/checks/agentic', {
      name: 'Words',
      prompt: 'Open it',
      privateLocations: ['cellar'],
    })
    expect(response.status).toBe(400)
  })

  it('201: the locations of its group count, until it leaves the group', async () => {
    const groupId = await createGroup({ locations: ['eu-west-1'] })
    const { status, body: check } = await create({ groupId })
    expect(status).toBe(201)
    expect((await api.alice.put(`/v1/checks/url/${check.id}`, { groupId: null })).status).toBe(400)
    const moved = await api.alice.put(`/v1/checks/url/${check.id}`, {
      groupId: null,
      locations: ['us-east-1'],
    })
    expect(moved.status).toBe(200)
  })
})

describe('a group whose checks would have no location', () => {
  it.each(['v1', 'v2'])('400: %s names them, and changes nothing', async (version) => {
    const groupId = await createGroup({ locations: ['eu-west-1'] }, version)
    for (let n = 1; n <= 7; n++) await create({ name: `Check ${n}`, groupId })
    await create({ name: 'Own', groupId, locations: ['eu-west-1'] })
    const response = await api.alice.put(`/${version}/check-groups/${groupId}`, { locations: [] })
    expect(response.status).toBe(400)
    expect(response.body.attributes.locations).toMatch(/"Check \d".* and 2 more\. Send locations/)
    expect((await api.alice.get(`/v1/check-groups/${groupId}`)).body.locations).toEqual(['eu-west-1'])
    const other = await api.alice.put(`/${version}/check-groups/${groupId}`, { locations: ['us-east-1'] })
    expect(other.status).toBe(200)
  })

  it('400: when it is activated, not while it is deactivated', async () => {
    const groupId = await createGroup({ activated: false })
    expect((await create({ groupId })).status).toBe(201)
    expect((await api.alice.put(`/v2/check-groups/${groupId}`, { activated: true })).status).toBe(400)
    const response = await api.alice.put(`/v2/check-groups/${groupId}`, {
      activated: true,
      locations: ['eu-west-1'],
    })
    expect(response.status).toBe(200)
  })

  it('never comes of two changes at once', async () => {
    const groupId = await createGroup({ locations: ['eu-west-1'] })
    const responses = await Promise.all([
      create({ groupId }),
      api.alice.put(`/v2/check-groups/${groupId}`, { locations: [] }),
      create({ groupId }),
    ])
    const { body: group } = await api.alice.get(`/v1/check-groups/${groupId}`)
    const { body: members } = await api.alice.get(`/v2/check-groups/${groupId}/checks`)
    if (group.locations.length === 0) expect(members).toEqual([])
    expect(members).toHaveLength(responses.filter(({ status }) => status === 201).length)
  })
})

async function bundleOf(_type: string): Promise<object> {
  return {}
}
