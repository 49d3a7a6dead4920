import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const url = (fields: object = {}, request: object = {}) => ({
  name: 'Home',
  locations: ['eu-west-1'],
  request: { url: 'https://example.com/', ...request },
  ...fields,
})

const strict = { prefer: 'handling=strict' }

describe('fields and parameters that the server ignores', () => {
  it('201: are named in the response, at any depth', async () => {
    const body = url(
      { location: ['eu-west-1'] },
      {
        assertions: [
          { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
          { source: 'STATUS_CODE', comparison: 'EQUALS', targt: '200' },
        ],
      },
    )
    const response = await api.alice.post('/v1/checks/url?limt=10&autoAssignAlerts=false', body)
    expect(response.status).toBe(201)
    expect(response.headers.get('vedette-ignored')).toBe(
      'body.request.assertions[1].targt, body.location, query.limt',
    )
    expect(response.headers.get('preference-applied')).toBeNull()
  })

  it('200: are named on a list with a mistyped parameter', async () => {
    const response = await api.alice.get('/v1/checks?limt=1&tag[]=a&page=1')
    expect(response.status).toBe(200)
    expect(response.headers.get('vedette-ignored')).toBe('query.limt')
  })

  it('are percent-encoded, and cut at 1 kB', async () => {
    const odd = await api.alice.post('/v1/checks/url', url({ 'a.b, c': 1, 'ü[0]': 1 }))
    expect(odd.headers.get('vedette-ignored')).toBe('body.a%2Eb%2C%20c, body.%C3%BC%5B0%5D')
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field${index}`, 1]))
    const header = (await api.alice.post('/v1/checks/url', url(many))).headers.get('vedette-ignored') ?? ''
    expect(header.length).toBeLessThanOrEqual(1024)
    expect(header).toMatch(/^body\.field0, body\.field1, .*, \.\.\.$/)
  })

  it('400: are refused with Prefer: handling=strict, together with what is wrong besides', async () => {
    const body = url({ location: ['eu-west-1'], muted: 'yes' }, { followRedirect: true })
    const response = await api.alice.send('POST', '/v1/checks/url?autoAssignAlert=false', body, strict)
    expect(response.status).toBe(400)
    expect(response.headers.get('preference-applied')).toBe('handling=strict')
    expect(response.body.attributes).toEqual({
      location: 'isn\'t a known field; did you mean "locations"?',
      'request.followRedirect': 'isn\'t a known field; did you mean "followRedirects"?',
      autoAssignAlert: 'isn\'t a known query parameter; did you mean "autoAssignAlerts"?',
      muted: 'must be a boolean',
    })
  })

  it('201: strict handling accepts a request without any', async () => {
    const response = await api.alice.send('POST', '/v1/checks/url', url(), strict)
    expect(response.status).toBe(201)
    expect(response.headers.get('preference-applied')).toBe('handling=strict')
    expect(response.headers.get('vedette-ignored')).toBeNull()
  })

  it.each([
    ['Handling="strict"; x=1, wait=10', 400],
    ['respond-async, wait=5, handling=strict', 400],
    [', ,handling = strict', 400],
    ['handling=lenient, handling=strict', 201],
    ['x="handling=strict"', 201],
    ['x=1; handling=strict', 201],
    ['handling', 201],
  ])('Prefer: %s responds with %d', async (prefer, status) => {
    const response = await api.alice.send('POST', '/v1/checks/url', url({ nmae: 1 }), { prefer })
    expect(response.status).toBe(status)
  })

  it('follow the type of the stored check on the route for checks of any type', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', url())
    const path = `/v1/checks/${check.id}`
    const lenient = await api.alice.put(`${path}?x=1`, {
      script: '1',
      request: { url: 'https://a.test', urll: 1 },
    })
    expect(lenient.status).toBe(200)
    expect(lenient.headers.get('vedette-ignored')).toBe('body.script, body.request.urll, query.x')
    const refused = await api.alice.send('PUT', path, { script: '1' }, strict)
    expect(refused.status).toBe(400)
    expect(refused.body.attributes).toEqual({ script: "isn't a known field" })
  })

  it('follow the type of a channel', async () => {
    const response = await api.alice.post('/v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'a@example.com', url: 'https://example.com' },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('vedette-ignored')).toBe('body.config.url')
  })

  it('include privateLocations of an agentic check', async () => {
    const response = await api.alice.post('/v1/checks/agentic', {
      name: 'Words',
      locations: ['eu-west-1'],
      prompt: 'Open https://example.com',
      privateLocations: 12,
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('vedette-ignored')).toBe('body.privateLocations')
  })

  it('leave keys of free-form objects alone', async () => {
    const response = await api.alice.post('/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: 'https://example.com', method: 'POST', headers: [{ key: 'a', value: 'b' }] },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('vedette-ignored')).toBeNull()
  })
})
