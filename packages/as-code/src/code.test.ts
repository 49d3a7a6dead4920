// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts may contain templates
import { describe, expect, it } from 'vitest'
import { channelAsCurl } from './channel-code.ts'
import { checkAsCurl } from './check-code.ts'
import { requestAsCurl } from './curl.ts'
import { toSource } from './source.ts'
import { windowAsCurl } from './window-code.ts'

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

it('a check has no secret value', () => {
  const text = checkAsCurl(secretive, { origin: 'http://localhost:3000', accountId: 'a' })
  expect(text).not.toContain('hidden')
  for (const name of ['TOKEN', 'X_API_KEY', 'PASSWORD']) expect(text).toContain(name)
})

it('a check keeps its own alert settings', () => {
  const text = checkAsCurl(
    { ...url, useGlobalAlertSettings: false },
    { origin: 'http://localhost:3000', accountId: 'a' },
  )
  expect(text).toContain('"escalationType": "RUN_BASED"')
})

describe('a channel', () => {
  const switches = {
    ...{ sendRecovery: true, sendFailure: true, sendDegraded: true },
    ...{ sslExpiry: true, sslExpiryThreshold: 14 },
  }
  const webhook = {
    type: 'WEBHOOK' as const,
    config: {
      ...{ name: 'Pager', url: 'https://example.com/hidden-1', method: 'POST', template: null },
      ...{ headers: [{ key: 'x-token', value: 'hidden-2' }], queryParameters: [], webhookSecret: 'hidden-3' },
    },
    ...switches,
  }

  it('is a command line without secret values', () => {
    const text = channelAsCurl(webhook, { origin: 'http://localhost:3000', accountId: 'a1' })
    expect(text).toContain("'http://localhost:3000/v1/alert-channels'")
    expect(text).toContain('"url": "$WEBHOOK_URL"')
    expect(text).not.toContain('hidden')
  })
})

it('a maintenance window is a command line', () => {
  const window = {
    ...{
      id: 3,
      name: 'Weekly release',
      tags: ['web'],
      repeatInterval: 1,
      repeatUnit: 'WEEK',
      repeatEndsAt: null,
    },
    ...{ startsAt: '2026-11-20T08:00:00.000Z', endsAt: '2026-11-20T09:00:00.000Z', silenceAllAlerts: true },
  }
  const text = windowAsCurl(window, { origin: 'http://localhost:3000', accountId: 'a1' })
  expect(text).toContain('"silenceAllAlerts": true')
  expect(text).not.toContain('"id"')
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
  [{ script: 'a\n`${b}`' }, '{\n  script: `a\n\\`\\${b}\\``,\n}'],
])('%j as source', (value, source) => expect(toSource(value)).toBe(source))
