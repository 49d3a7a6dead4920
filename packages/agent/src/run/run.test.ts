import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import type { NetworkCheck } from '../checks/runner.ts'
import { apiCheckExample } from '../core/api-check.fixture.ts'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { runCheck } from './run.ts'

afterEach(closeListeners)

const context = () => ({
  signal: new AbortController().signal,
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  network: networkPolicy({ mode: 'default', allow: [], deny: [] }),
  userAgent: 'Vedette/test',
})

const run = (check: NetworkCheck, variables: Record<string, string> = {}, secrets: string[] = []) =>
  runCheck({ check, variables, secrets }, context())

describe('a run of an API check', () => {
  it('passes, with evidence', async () => {
    const url = await serve((_request, response) => response.end('{"items":[1,2]}'))
    const outcome = await run(apiCheckExample({ url: `${url}/x`, method: 'GET' }))
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.detail).toMatchObject({ response: { status: 200, body: '{"items":[1,2]}' } })
  })

  it('fails with the reason as data when an assertion does not hold', async () => {
    const url = await serve((_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"n":1}'),
    )
    const assertions = [
      { source: 'JSON_BODY', property: '$.n', comparison: 'EQUALS', target: '2', regex: '' },
    ] as const
    const outcome = await run(apiCheckExample({ url, assertions: [...assertions] }))
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion', phase: 'judge' } })
    expect(outcome.assertions[0]).toMatchObject({ actual: 1, error: expect.any(String) })
  })

  it('names variables that are not defined where it fails', async () => {
    const missing = await run(apiCheckExample({ url: '{{NOPE}}/x' }))
    expect(missing.failure).toMatchObject({
      code: 'INVALID_URL',
      message:
        '"/x" isn\'t a valid http or https URL. The variable NOPE isn\'t defined; it is used in the URL.',
    })
    const url = await serve((_request, response) => response.writeHead(401).end())
    const headers = [{ key: 'authorization', value: 'Bearer {{TOKEN}}', locked: false }]
    const refused = await run(apiCheckExample({ url, headers }))
    expect(refused.failure?.message).toBe(
      "Expected a status code below 400, but it was 401. The variable TOKEN isn't defined; it is used in the header authorization.",
    )
    const fine = await serve((_request, response) => response.end('ok'))
    expect(await run(apiCheckExample({ url: fine, headers }))).toMatchObject({ outcome: 'passed' })
  })

  it('reports where a JSON body is invalid, or that a property is missing', async () => {
    const assertions = [
      { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'up', regex: '' },
    ] as const
    const messageFor = async (body: string) => {
      const url = await serve((_request, response) =>
        response.setHeader('content-type', 'application/json').end(body),
      )
      return (await run(apiCheckExample({ url, assertions: [...assertions] }))).failure?.message
    }
    expect(await messageFor('{"status":"up","items":[1,2')).toBe(
      "The response body isn't valid JSON: unexpected end at position 27 (line 1, column 28).",
    )
    expect(await messageFor('{"state":"up"}')).toBe(
      'Expected $.status of the JSON body to equal "up", but the JSON body has no property $.status.',
    )
    expect(await messageFor('')).toBe('The response has an empty body, so there is no JSON.')
  })

  it('degrades when it is slower than it should be', async () => {
    const url = await serve((_request, response) => response.end('ok'))
    const check = { ...apiCheckExample({ url }), degradedResponseTime: 0 }
    expect(await run(check)).toMatchObject({ outcome: 'degraded' })
  })

  it('reports what was refused, where and by which rule', async () => {
    const outcome = await run(apiCheckExample({ url: 'http://127.0.0.1:1/' }))
    expect(outcome.failure).toMatchObject({ kind: 'connect', code: 'ECONNREFUSED', address: '127.0.0.1:1' })
  })

  it('renders templates, and lets no secret out', async () => {
    const seen: string[] = []
    const url = await serve((request, response) => {
      seen.push(String(request.headers['x-token']), String(request.headers.authorization))
      response.end(`you sent ${request.headers['x-token']}`)
    })
    const check = apiCheckExample({
      url: '{{BASE}}/a',
      headers: [{ key: 'x-token', value: '{{{TOKEN}}}', locked: false }],
      basicAuth: { username: 'ann', password: 'pw' },
    })
    const outcome = await run(check, { BASE: url, TOKEN: 'hunter2-hunter2' }, ['hunter2-hunter2'])
    expect(seen).toEqual(['hunter2-hunter2', expect.stringMatching(/^Basic /)])
    expect(JSON.stringify(outcome)).not.toContain('hunter2-hunter2')
    expect(outcome.detail).toMatchObject({ request: { headers: { authorization: '*********' } } })
  })

  it('makes no request from a template that is wrong', async () => {
    const outcome = await run(apiCheckExample({ url: 'http://127.0.0.1:1/{{#if}}' }))
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'script', phase: 'setup' } })
  })
})
