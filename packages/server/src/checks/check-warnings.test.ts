import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const locations = ['eu-west-1']
const warningsOf = ({ headers }: { headers: Headers }) =>
  (headers.get('vedette-warnings') ?? '').split(', ').filter(Boolean).map(decodeURIComponent)

describe('warnings about scripts', () => {
  const browser = (script: string) => api.alice.post('/v1/checks/browser', { name: 'b', locations, script })

  it.each([
    "import { test } from '@playwright/test'\ntest('a', async ({ page }) => {\n  await page.goto('x'\n})",
    'const a = {',
    'let x: number = ;',
  ])("201: a browser script that doesn't parse is stored, with a warning: %j", async (script) => {
    const response = await browser(script)
    expect(response.status).toBe(201)
    expect(response.body.script).toBe(script)
    expect(warningsOf(response)).toEqual([expect.stringMatching(/^script does not parse: \w+/)])
  })

  it.each([
    "import { test, expect } from '@playwright/test'\ntest('a', async ({ page }) => {\n  await page.goto('x')\n})",
    "const { test } = require('@playwright/test')\ntype A = { b: string }\nconst c: A = { b: '1' }",
    'enum Colour { Red }\nexport const a = Colour.Red',
    "import a, {\n  b,\n} from 'c'\nwhile (true) {}",
  ])('201: one that parses has no warning, and is never run: %j', async (script) => {
    expect(warningsOf(await browser(script))).toEqual([])
  })

  it('201: scripts around a request may await and return, and are judged as such', async () => {
    const request = { method: 'GET', url: 'https://example.com' }
    const post = (localSetupScript: string, localTearDownScript: string) =>
      api.alice.post('/v1/checks/api', {
        name: 'a',
        locations,
        request,
        localSetupScript,
        localTearDownScript,
      })
    const fine = await post(
      "import axios from 'axios'\nawait axios.get('x')\nif (1) return",
      'const a: number = 1',
    )
    expect(warningsOf(fine)).toEqual([])
    const broken = await post('await fetch(', 'const = 1')
    expect(broken.status).toBe(201)
    expect(warningsOf(broken)).toEqual([
      expect.stringMatching(/^localSetupScript does not parse/),
      expect.stringMatching(/^localTearDownScript does not parse.*line 1/),
    ])
  })

  it('snippets and the scripts of groups are judged too', async () => {
    expect(
      warningsOf(await api.alice.post('/v1/snippets', { name: 's', script: 'function (' })),
    ).toHaveLength(1)
    const group = { name: 'g', localSetupScript: 'const a = (' }
    expect(warningsOf(await api.alice.post('/v2/check-groups', group))).toHaveLength(1)
  })

  it('a script that breaks the parser leaves the next one judged', async () => {
    expect((await browser('('.repeat(200_000))).status).toBe(201)
    expect(warningsOf(await browser('const a = {'))).toHaveLength(1)
    expect(warningsOf(await browser('const a: number = 1'))).toEqual([])
  })
})

describe('warnings about variables', () => {
  const check = (url: string, fields: object = {}, caller = api.alice) =>
    caller.post('/v1/checks/api', { name: 'a', locations, request: { method: 'GET', url }, ...fields })

  it('201: names those that neither the check nor its group nor the account defines', async () => {
    const owner = await api.newAccount()
    await owner.post('/v1/variables', { key: 'OF_ACCOUNT', value: 'a' })
    const group = await owner.post('/v2/check-groups', {
      name: 'g',
      environmentVariables: [{ key: 'OF_GROUP', value: 'a' }],
    })
    const url =
      'https://example.com/{{OF_ACCOUNT}}/{{{ OF_GROUP }}}/{{NOPE}}/{{$UUID}}/{{moment "1 day ago" "X"}}'
    const response = await check(url, { groupId: group.body.id }, owner)
    expect(response.status).toBe(201)
    expect(warningsOf(response)).toEqual([
      '{{NOPE}} is not defined: neither the check nor its group nor the account has it',
    ])
    const left = await owner.put(`/v1/checks/api/${response.body.id}`, { groupId: null })
    expect(warningsOf(left).map((text) => text.split(' ')[0])).toEqual(['{{OF_GROUP}}', '{{NOPE}}'])
    expect(warningsOf(await owner.put(`/v1/checks/api/${response.body.id}`, { muted: true }))).toEqual([])
  })

  it('201: no warning if a setup script may define it, or the prompt has its own', async () => {
    const url = 'https://example.com/{{TOKEN}}'
    expect(warningsOf(await check(url, { localSetupScript: "process.env.TOKEN = '1'" }))).toEqual([])
    const prompt = { name: 'w', locations, prompt: 'Sign in as {{USER}} with {{PASSWORD}}' }
    const environmentVariables = [{ key: 'USER', value: 'ann' }]
    const response = await api.alice.post('/v1/checks/agentic', { ...prompt, environmentVariables })
    expect(warningsOf(response)).toEqual([expect.stringContaining('{{PASSWORD}}')])
  })
})

describe('warnings about settings without an effect', () => {
  it('201: a degraded threshold above the failing one, until one of them changes', async () => {
    const request = { hostname: 'example.com', port: 80 }
    const thresholds = { degradedResponseTime: 4000, maxResponseTime: 3000 }
    const created = await api.alice.post('/v1/checks/tcp', { name: 't', locations, request, ...thresholds })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject(thresholds)
    expect(warningsOf(created)).toEqual([
      'degradedResponseTime (4000) is above maxResponseTime (3000), so no run is degraded',
    ])
    const path = `/v1/checks/tcp/${created.body.id}`
    expect(warningsOf(await api.alice.put(path, { muted: true }))).toEqual([])
    expect(warningsOf(await api.alice.put(path, { maxResponseTime: 5000 }))).toEqual([])
  })

  it('201: a kind of failure that the type does not know', async () => {
    const retryStrategy = { type: 'FIXED', onlyOn: 'NETWORK_ERROR' }
    const fields = { name: 'b', locations, script: 'const a = 1', retryStrategy }
    const response = await api.alice.post('/v1/checks/browser', fields)
    expect(response.body.retryStrategy.onlyOn).toEqual(['NETWORK_ERROR'])
    expect(warningsOf(response)).toEqual([expect.stringContaining('retryStrategy.onlyOn has an effect only')])
  })
})

describe('warnings about replaced objects', () => {
  it('200: names what an update removed because its object was sent without it', async () => {
    const request = {
      url: 'https://example.com/',
      followRedirects: false,
      assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
    }
    const { body } = await api.alice.post('/v1/checks/url', { name: 'u', locations, request })
    const path = `/v1/checks/url/${body.id}`
    expect(warningsOf(await api.alice.put(path, { request }))).toEqual([])
    const response = await api.alice.put(path, { request: { url: 'https://example.com/x' } })
    expect(response.body.request.assertions).toEqual([])
    expect(warningsOf(response).sort()).toEqual([
      'request.assertions was removed because request was sent without it',
      'request.followRedirects was reset to its default because request was sent without it',
    ])
    const emptied = await api.alice.put(path, { request: { ...request, assertions: [] } })
    expect(warningsOf(emptied)).toEqual([])
  })
})
