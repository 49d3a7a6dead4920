import { createServer } from 'node:https'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { apiCheckExample } from '../core/api-check.fixture.ts'
import { localhost } from '../net/certificates.fixture.ts'
import { closeListeners, listen, runContext, serve } from '../net/listeners.fixture.ts'
import { cellLevel } from '../sandbox/open-cell.ts'
import { closeSandbox, refusalOfScripts } from '../sandbox/sandbox.ts'
import { runCheck } from './run.ts'
import type { CheckRun } from './run-monitor.ts'

afterEach(closeListeners)
afterAll(closeSandbox)

type Request = Parameters<typeof apiCheckExample>[0]

const script = (text: string) => ({ name: text.slice(0, 20), script: text })

function run(
  request: Request,
  over: Omit<Partial<CheckRun>, 'setup' | 'teardown'> & { setup?: string[]; teardown?: string[] } = {},
) {
  const { setup = [], teardown = [], ...rest } = over
  return {
    check: apiCheckExample(request),
    variables: {},
    secrets: [],
    ...rest,
    setup: setup.map(script),
    teardown: teardown.map(script),
  } satisfies CheckRun
}

/** A target that repeats what it was asked. */
const echo = () =>
  serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      const received = { method, url, body: Buffer.concat(chunks).toString(), token: headers['x-token'] }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(received))
    })
  })

const bodyOf = (outcome: { detail: unknown }) =>
  JSON.parse((outcome.detail as { response: { body: string } }).response.body)

describe('setup scripts', () => {
  it('run in order before templates are rendered, and what they write is rendered', async () => {
    const url = await echo()
    const outcome = await runCheck(
      run(
        { url: '{{BASE}}/{{NAME}}', headers: [{ key: 'x-token', value: '{{TOKEN}}', locked: false }] },
        {
          variables: { BASE: url, NAME: 'before' },
          setup: [
            `process.env.TOKEN = 'one'; process.env.NAME = 'group'`,
            `process.env.NAME += '-check'; request.method = 'POST'; request.body = 'hello'`,
          ],
        },
      ),
      runContext(),
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(bodyOf(outcome)).toEqual({ method: 'POST', url: '/group-check', body: 'hello', token: 'one' })
  })

  it('know the facts of their run', async () => {
    const url = await echo()
    const facts = `['CHECK_NAME', 'CHECK_TYPE', 'REGION', 'RUNTIME_VERSION', 'CHECK_RUN_ID', 'CHECK_RESULT_ID', 'REQUEST_URL', 'GROUP_BASE_URL']`
    const runFacts = {
      location: 'eu-west-1',
      runtimeId: '2026.04',
      scheduledAt: 1_700_000_000_000,
      resultId: 'id-1',
      groupBaseUrl: url,
    }
    const setup = [`console.log(${facts}.map((name) => process.env[name]).join(' '))`]
    const scheduled = await runCheck(
      run({ url: '{{GROUP_BASE_URL}}/a' }, { ...runFacts, source: 'schedule', setup }),
      runContext(),
    )
    expect(scheduled.jobLog?.setup[0]?.msg).toBe(
      `Orders API API eu-west-1 2026.04 1700000000000 id-1 ${url}/a ${url}`,
    )
    const asked = await runCheck(
      run({ url: '{{GROUP_BASE_URL}}/a' }, { ...runFacts, source: 'session', setup }),
      runContext(),
    )
    expect(asked.jobLog?.setup[0]?.msg).toBe(`Orders API API eu-west-1 2026.04   ${url}/a ${url}`)
  })

  it.each([
    [
      'an error',
      `throw new Error('no token')`,
      {
        kind: 'script',
        code: 'SCRIPT_ERROR',
        message: expect.stringContaining('Error: no token (setup.js:1)'),
      },
    ],
    ['leaving', 'process.exit(3)', { kind: 'script', code: 'SCRIPT_ENDED' }],
  ])('abort the run by %s: no request, no teardown, no assertions', async (_name, broken, failure) => {
    let asked = 0
    const url = await serve((_request, response) => {
      asked += 1
      response.end()
    })
    const assertions = [
      { source: 'STATUS_CODE', property: '', comparison: 'EQUALS', target: '200', regex: null },
    ] as const
    const outcome = await runCheck(
      run(
        { url, assertions: [...assertions] },
        { setup: [broken, 'console.log("second")'], teardown: ['console.log("torn")'] },
      ),
      runContext(),
    )
    expect(outcome).toMatchObject({
      outcome: 'failed',
      failure: { phase: 'setup', ...failure },
    })
    expect(outcome.assertions).toEqual([])
    expect(outcome.jobLog).toEqual({ setup: [], request: [], teardown: [] })
    const { level, limits } = await cellLevel()
    expect(outcome.detail).toEqual({ isolation: { level, limits } })
    expect(asked).toBe(0)
  })

  it('leave variables alone that have the name of a fact', async () => {
    const url = await echo()
    const named = { url: `${url}/{{REGION}}/{{CHECK_TYPE}}` }
    const variables = { REGION: 'mine' }
    const setup = [`process.env.SEEN = process.env.REGION; request.headers['x-token'] = process.env.SEEN`]
    const outcome = await runCheck(run(named, { variables, setup, location: 'eu-west-1' }), runContext())
    expect(bodyOf(outcome)).toMatchObject({ url: '/mine/', token: 'eu-west-1' })
  })

  it('show no client certificate to a host of their own choice', async () => {
    const server = createServer(localhost, (request, response) => response.end(`"${request.url}"`))
    const url = `https://127.0.0.1:${await listen(server)}`
    const unreadable = { host: '127.0.0.1', cert: 'not', key: 'readable', ca: null, passphrase: null }
    const context = runContext({ clientCertificates: [unreadable] })
    const stay = await runCheck(run({ url, skipSSL: true }, { setup: ['1'] }), context)
    expect(stay.failure).toMatchObject({ kind: 'tls' })
    const move = run({ url, skipSSL: true }, { setup: [`request.url += '/moved'`] })
    expect(bodyOf(await runCheck(move, context))).toBe('/moved')
  })

  it('fetch a token for the request', async () => {
    const url = await echo()
    const setup = [
      `const { url } = await (await fetch('${url}/login')).json(); request.headers['x-token'] = url`,
    ]
    expect(bodyOf(await runCheck(run({ url }, { setup }), runContext()))).toMatchObject({ token: '/login' })
  })

  it('are refused if the policy needs isolation and the host has none', async () => {
    const url = await echo()
    const network = networkPolicy({ mode: 'public', allow: ['127.0.0.1/32'] })
    const outcome = await runCheck(run({ url }, { setup: ['1'] }), runContext({ network }))
    const refusal = await refusalOfScripts(network)
    expect(outcome.failure?.kind).toBe(refusal === null ? undefined : 'blocked')
  })
})

describe('teardown scripts', () => {
  const assertions: Request['assertions'] = [
    { source: 'JSON_BODY', property: '$.ok', comparison: 'EQUALS', target: 'yes', regex: null },
  ]

  it('see the response, and assertions see what they make of its body', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"ok":"no"}')
    })
    const teardown = [
      `const body = JSON.parse(response.body); body.ok = 'ye'; response.body = body; console.log(response.statusCode, response.headers['content-type'])`,
      `response.body = response.body.replace('ye', 'yes')`,
    ]
    const outcome = await runCheck(run({ url, assertions }, { teardown }), runContext())
    expect(outcome).toMatchObject({ outcome: 'passed' })
    expect(bodyOf(outcome)).toEqual({ ok: 'yes' })
    expect(outcome.jobLog?.teardown).toEqual([
      { time: expect.any(Number), msg: '200 application/json', level: 'INFO' },
    ])
  })

  it("don't fail a run: the others still run, and the error is logged", async () => {
    const url = await serve((_request, response) => response.end('x'))
    const teardown = [`throw new Error('boom')`, `console.log('still here')`]
    const outcome = await runCheck(run({ url }, { teardown }), runContext())
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.jobLog?.teardown.map(({ msg, level }) => `${level} ${msg}`)).toEqual([
      expect.stringMatching(/^ERROR The teardown script .* failed: Error: boom/),
      'INFO still here',
    ])
  })

  it('run after a request that failed, with no response', async () => {
    const outcome = await runCheck(
      run({ url: 'http://127.0.0.1:1/' }, { teardown: ['console.log(response, request.url)'] }),
      runContext(),
    )
    expect(outcome.failure).toMatchObject({ kind: 'connect' })
    expect(outcome.jobLog?.teardown[0]?.msg).toBe('null http://127.0.0.1:1/')
  })
})

describe('secrets in scripts', () => {
  it("don't leave the agent, nor do values that a script replaces them with", async () => {
    const url = await echo()
    const outcome = await runCheck(
      run(
        { url: `${url}/{{TOKEN}}` },
        {
          variables: { TOKEN: 'first-secret' },
          secrets: ['first-secret'],
          setup: [
            `console.log('had', process.env.TOKEN); process.env.TOKEN = 'second-secret'; console.log(Buffer.from('second-secret').toString('base64'))`,
          ],
          teardown: [`console.error(response.body); throw new Error(process.env.TOKEN)`],
        },
      ),
      runContext(),
    )
    expect(outcome.outcome).toBe('passed')
    const text = JSON.stringify(outcome)
    for (const secret of ['first-secret', 'second-secret', btoa('second-secret')])
      expect(text).not.toContain(secret)
    expect(outcome.jobLog?.setup[0]?.msg).toBe('had *********')
  })

  it('are not in the message of a failure', async () => {
    const outcome = await runCheck(
      run(
        { url: 'http://x.test' },
        { variables: { K: 'hush-hush' }, secrets: ['hush-hush'], setup: ['throw new Error(process.env.K)'] },
      ),
      runContext(),
    )
    expect(outcome.failure?.message).toContain('Error: *********')
  })
})

describe('a run against another environment', () => {
  it('goes to its host with the path and query of the check', async () => {
    const url = await echo()
    const outcome = await runCheck(
      {
        check: apiCheckExample({ url: 'https://api.example.test/a?b=1' }),
        variables: {},
        secrets: [],
        environmentUrl: `${url}/ignored`,
      },
      runContext(),
    )
    expect(bodyOf(outcome)).toMatchObject({ url: '/a?b=1' })
    expect(outcome.jobLog).toBeUndefined()
  })
})
