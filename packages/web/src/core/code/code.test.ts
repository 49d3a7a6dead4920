// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts may contain templates
import { describe, expect, it } from 'vitest'
import { checkAsConstruct, checkAsCurl } from './check-code.ts'
import { requestAsCurl } from './curl.ts'
import { toSource } from './source.ts'

const url = {
  ...{
    id: 'b5a6',
    checkType: 'URL',
    name: "Anna's shop",
    activated: true,
    muted: false,
    frequency: 5,
    tags: ['web'],
  },
  ...{
    locations: ['eu-central-1'],
    privateLocations: [],
    groupId: 7,
    created_at: 'x',
    state: 'passing',
    reason: 'ok',
  },
  ...{ useGlobalAlertSettings: true, alertSettings: { escalationType: 'RUN_BASED' }, description: null },
  request: {
    ...{ method: 'GET', url: 'https://example.com', followRedirects: true },
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', property: '' }],
  },
}

const secretive = {
  ...{
    checkType: 'API',
    name: 'Orders',
    environmentVariables: [{ key: 'token', value: 'hidden-1', secret: true }],
  },
  request: {
    ...{ method: 'POST', url: 'https://example.com', body: '{"a":1}', bodyType: 'JSON' },
    headers: [{ key: 'x-api-key', value: 'hidden-2', locked: true }],
    basicAuth: { username: 'anna', password: 'hidden-3' },
  },
}

describe('a check as a construct', () => {
  it('has what the user set and nothing else', () => {
    expect(checkAsConstruct(url)).toBe(`import { UrlMonitor } from 'vedette/constructs'

new UrlMonitor('anna-s-shop', {
  name: 'Anna\\'s shop',
  frequency: 5,
  tags: ['web'],
  locations: ['eu-central-1'],
  request: {
    method: 'GET',
    url: 'https://example.com',
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  },
})
`)
  })

  it('has the script as a template', () => {
    const script = "test('x', () => {\n  log(`a${1}`)\n})\n"
    const text = checkAsConstruct({ checkType: 'BROWSER', name: 'Sign in', script })
    expect(text).toContain("new BrowserCheck('sign-in', {")
    expect(text).toContain("content: `test('x', () => {\n  log(\\`a\\${1}\\`)")
  })

  it.each([
    checkAsConstruct(secretive),
    checkAsCurl(secretive, { origin: 'http://localhost:3000', accountId: 'a' }),
  ])('has no secret value', (text) => {
    expect(text).not.toContain('hidden')
    for (const name of ['TOKEN', 'X_API_KEY', 'PASSWORD']) expect(text).toContain(name)
  })

  it('keeps its own alert settings', () => {
    expect(checkAsConstruct({ ...url, useGlobalAlertSettings: false })).toContain(
      "escalationType: 'RUN_BASED'",
    )
  })
})

describe('command lines', () => {
  it('create the check', () => {
    const text = checkAsCurl(url, { origin: 'http://localhost:3000', accountId: 'a1' })
    expect(text).toContain("curl --request POST 'http://localhost:3000/v1/checks/url'")
    expect(text).toContain('"name": "Anna\'\\\'\'s shop"')
  })

  it('send the same request again', () => {
    const request = {
      method: 'POST',
      url: 'https://example.com/?a=1&b=2',
      headers: { host: 'example.com', accept: '*/*' },
      data: "it's",
    }
    expect(requestAsCurl(request)).toBe(
      "curl --request 'POST' 'https://example.com/?a=1&b=2' \\\n  --header 'accept: */*' \\\n  --data-raw 'it'\\''s'",
    )
    expect(requestAsCurl({ method: 'GET', url: 'https://example.com' })).toBe("curl 'https://example.com'")
  })
})

it.each([
  [{ a: { b: [1, true, null] }, 'x-y': 'z' }, "{\n  a: { b: [1, true, null] },\n  'x-y': 'z',\n}"],
  [{ text: 'a"b\\c' }, "{\n  text: 'a\"b\\\\c',\n}"],
  [{}, '{}'],
])('%j as source', (value, source) => expect(toSource(value)).toBe(source))
