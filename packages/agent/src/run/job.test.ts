import { type Failure, ReportedResult } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import { apiCheckExample } from '../core/api-check.fixture.ts'
import { bodyBudget } from '../net/body-budget.ts'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { type Diagnose, limitDiagnoses } from './diagnosis.ts'
import { createJobRunner, type JobDeps } from './job.ts'
import { runCheck } from './run.ts'

afterEach(closeListeners)

const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const network = networkPolicy({ mode: 'default' })
const alive = () => new AbortController().signal

function runner(changes: Partial<JobDeps> = {}) {
  const bodies = bodyBudget(1e8)
  const run = createJobRunner({ runCheck, clock, network, userAgent: 'Vedette/test', bodies, ...changes })
  return async (...args: Parameters<typeof run>) => {
    const result = await run(...args)
    // Whatever happens, it is a result that a server takes.
    expect(ReportedResult.safeParse(result).error).toBeUndefined()
    expect(bodies.usedBytes).toBe(0)
    return { ...result, detail: JSON.parse(result.detail ?? 'null') }
  }
}

const refused = 'http://127.0.0.1:1/'

describe('a job', () => {
  it('becomes a result with the measurements', async () => {
    const url = await serve((_request, response) => response.writeHead(201).end('ok'))
    const result = await runner()(jobExample(url), alive())
    const { timingPhases } = result.detail.observed.response
    expect(result).toMatchObject({ outcome: 'passed', statusCode: 201, responseTimeMs: timingPhases.total })
    const { wait, dns, tcp, firstByte, download, total } = timingPhases
    expect(result.metrics).toEqual([total, wait, dns, tcp, firstByte, download])
    expect(Object.keys(result.detail)).toEqual(['failure', 'assertions', 'observed'])
  })

  it('goes to the environment it is meant for, path and query kept', async () => {
    const seen: string[] = []
    const url = await serve((request, response) => {
      seen.push(request.url ?? '')
      response.end('ok')
    })
    const job = jobExample('https://shop.test:8443/{{PATH}}?q=1', {
      environmentUrl: `${url}/ignored`,
      variables: { PATH: 'cart' },
    })
    expect(await runner()(job, alive())).toMatchObject({ outcome: 'passed' })
    expect(seen).toEqual(['/cart?q=1'])
  })

  it('goes through the proxy of its location, whose address may be made of variables', async () => {
    const seen: [string, string][] = []
    const proxy = await serve((request, response) => {
      seen.push([request.url ?? '', String(request.headers['proxy-authorization'])])
      response.end('through the proxy')
    })
    const variables = { PROXY_URL: proxy.replace('//', '//ann:p%40ss-word@') }
    const job = jobExample('http://target.test/x', { proxyUrl: '{{PROXY_URL}}', variables })
    const result = await runner()(job, alive())
    expect(result.detail.observed.response.body).toBe('through the proxy')
    expect(seen).toEqual([['http://target.test/x', `Basic ${btoa('ann:p@ss-word')}`]])
    const broken = await runner()({ ...job, proxyUrl: '{{#if}}' }, alive())
    expect(broken).toMatchObject({ outcome: 'error', failure: { kind: 'internal' } })
  })

  it('that is canceled ends as cancelled, one that is too slow as a timeout', async () => {
    const url = await serve(() => undefined)
    const cancelled = AbortSignal.abort(new DOMException('cancelled', 'AbortError'))
    expect(await runner()(jobExample(url), cancelled)).toMatchObject({ outcome: 'cancelled' })
    const late = AbortSignal.abort(new DOMException('time', 'TimeoutError'))
    expect(await runner()(jobExample(url), late)).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'timeout' },
    })
  })

  it('that throws ends as an internal error, with a message without secrets', async () => {
    const errors: string[] = []
    const runBroken = runner({
      runCheck: () => Promise.reject(new Error('no such hunter2-hunter2')),
      onError: (message) => errors.push(message),
    })
    const result = await runBroken(jobExample(refused, { secrets: ['hunter2-hunter2'] }), alive())
    expect(result).toMatchObject({
      outcome: 'error',
      failure: { kind: 'internal', message: 'no such *********' },
      metrics: [null, null, null, null, null, null],
    })
    expect(errors).toEqual(['A run failed by a bug: no such *********'])
  })

  it('keeps a body within its limit, and no half of a secret at its end', async () => {
    const secret = 'hunter2-hunter2'
    // The stored body ends in the middle of the secret.
    const body = 'ä'.repeat(127_996) + secret
    const url = await serve((_request, response) => response.end(body))
    const { detail } = await runner()(jobExample(url, { secrets: [secret] }), alive())
    const { response } = detail.observed
    expect(response.truncated).toBe(true)
    expect(response.body).not.toMatch(/hunt/)
    expect(response.body.length).toBeGreaterThan(127_000)
  })

  it('writes down text of any kind', async () => {
    const odd = 'a\u0000b\ud800c\u2028'
    const url = await serve((_request, response) => response.end(Buffer.from(odd, 'utf16le')))
    const check = { ...apiCheckExample({ url, headers: [{ key: 'x', value: 'ü', locked: false }] }) }
    const result = await runner()(jobExample(url, { check }), alive())
    expect(result.detail.observed.response.body).toContain('\u0000')
  })
})

describe('a failure of the network', () => {
  const found: Diagnose = async ({ host, port, failure }) => ({
    host,
    port,
    code: failure.code,
    secret: 'hunter2-hunter2',
  })

  it('is diagnosed once per interval, and the results in between carry the diagnosis', async () => {
    let time = 0
    const asked: string[] = []
    const diagnose: Diagnose = async (input, context) => {
      asked.push(input.host)
      return found(input, context)
    }
    const watch = { now: () => time, monotonic: () => time }
    const diagnoseFailure = limitDiagnoses({ diagnose, network, clock: watch, everyMs: 1_000 })
    const run = runner({ diagnoseFailure })
    const job = jobExample(refused, { secrets: ['hunter2-hunter2'] })
    const first = await run(job, alive())
    const diagnostics = { at: 0, host: '127.0.0.1', port: 1, code: 'ECONNREFUSED', secret: '*********' }
    expect(first.detail.diagnostics).toEqual(diagnostics)
    time = 999
    expect((await run(job, alive())).detail.diagnostics).toEqual(diagnostics)
    expect(asked).toHaveLength(1)
    time = 1_000
    expect((await run(job, alive())).detail.diagnostics).toMatchObject({ at: 1_000 })
    expect(asked).toHaveLength(2)
  })

  it('is all there is looked into: neither successes nor assertions, nor hosts that are secret', async () => {
    const asked: string[] = []
    const diagnose: Diagnose = async ({ host }) => {
      asked.push(host)
      return {}
    }
    const run = runner({ diagnoseFailure: limitDiagnoses({ diagnose, network, clock }) })
    const url = await serve((_request, response) => response.writeHead(500).end('no'))
    expect(await run(jobExample(url), alive())).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'status' },
    })
    await run(jobExample(refused, { secrets: ['127.0.0.1'] }), alive())
    expect(asked).toEqual([])
  })

  it('is not diagnosed while five others are', async () => {
    let running = 0
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const diagnose: Diagnose = async () => {
      running += 1
      await end
      return {}
    }
    const diagnoseFailure = limitDiagnoses({ diagnose, network, clock })
    const failure: Failure = { kind: 'connect', phase: 'connect', message: 'refused' }
    const input = { checkType: 'TCP', host: '127.0.0.1', port: 1, failure, tried: [] }
    const all = Array.from({ length: 7 }, (_, index) => diagnoseFailure(`check-${index}`, input, alive()))
    resolve()
    const isDiagnosed = (await Promise.all(all)).map((found) => found !== undefined)
    expect([running, isDiagnosed]).toEqual([5, [true, true, true, true, true, false, false]])
  })

  it('leaves the result as it is when looking into it takes too long or breaks', async () => {
    const hanging: Diagnose = (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const errors: string[] = []
    const diagnoseFailure = limitDiagnoses({ diagnose: hanging, network, clock, limitMs: 10 })
    const result = await runner({ diagnoseFailure, onError: (message) => errors.push(message) })(
      jobExample(refused),
      alive(),
    )
    expect(result).toMatchObject({ outcome: 'failed', failure: { kind: 'connect' } })
    expect(result.detail.diagnostics).toBeUndefined()
    expect(errors).toHaveLength(1)
  })
})
