import { tmpdir } from 'node:os'
import { ReportedResult } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, it } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import { MissingError } from '../runtimes/missing.ts'
import type { CodeOutcome, CodeRunner } from './code-runner.ts'
import { type CodeJobDeps, codeJobRunner } from './run-code.ts'

const clock = { now: () => 1_000, monotonic: () => 5, offsetMs: 0 }
const job = jobExample('http://127.0.0.1:1', { checkType: 'BROWSER', secrets: ['hunter2'] })

async function run(
  runner: CodeRunner,
  signal = new AbortController().signal,
  { prepare = async () => {}, waits }: Partial<Pick<CodeJobDeps, 'prepare'>> & { waits?: AgentWaits } = {},
) {
  const errors: string[] = []
  const uploads: AbortSignal[] = []
  const runJob = codeJobRunner({
    runners: { BROWSER: runner, MULTI_STEP: runner, PLAYWRIGHT: runner, AGENTIC: runner },
    context: { clock, network: networkPolicy({ mode: 'default' }), userAgent: 'Vedette/test' },
    tempFolder: tmpdir(),
    isolation: () => ({ level: 'strong', limits: 'polling' }),
    now: clock.now,
    sendLog: async () => true,
    upload: async (_files, how) => {
      uploads.push(how.signal)
      return []
    },
    onError: (message) => errors.push(message),
    prepare,
  })
  const result = await runJob(job, signal, waits)
  expect(ReportedResult.safeParse(result).error).toBeUndefined()
  return { result, errors, uploads }
}

const broken: CodeRunner = () => Promise.reject(new Error('no space for hunter2'))

describe('a code run with an internal error', () => {
  it('ends as an error without its secrets, and is reported', async () => {
    const { result, errors } = await run(broken)
    expect(result).toMatchObject({ outcome: 'error', failure: { message: 'no space for *********' } })
    expect(errors).toEqual(['a code run failed: no space for *********'])
  })

  it('is not reported if something is not installed', async () => {
    const { result, errors } = await run(() => Promise.reject(new MissingError('no runtime 2024.02')))
    expect(result).toMatchObject({ outcome: 'error', failure: { message: 'no runtime 2024.02' } })
    expect(errors).toEqual([])
  })

  it('because of a cancellation is canceled', async () => {
    const { result, errors } = await run(broken, AbortSignal.abort(new DOMException('x', 'AbortError')))
    expect(result.outcome).toBe('cancelled')
    expect(errors).toEqual([])
  })

  it('because its time was up is an error', async () => {
    const { result } = await run(broken, AbortSignal.abort(new DOMException('x', 'TimeoutError')))
    expect(result.outcome).toBe('error')
  })
})

const leaving = (files: CodeOutcome['files'], released: string[]): CodeRunner => {
  return async () => ({
    ...{ outcome: 'passed', failure: null, responseTimeMs: 1, metrics: {}, sslDaysRemaining: null },
    ...{ detail: {}, log: [], files, foundSecrets: [] },
    release: async () => void released.push('released'),
  })
}

describe('the result of a code run', () => {
  it('says how the run was isolated and limited', async () => {
    const { result } = await run(leaving([], []))
    expect(JSON.parse(result.detail ?? '')).toMatchObject({
      observed: { isolation: { level: 'strong', limits: 'polling' } },
    })
  })
})

describe('a code run that has to wait for an installation', () => {
  it('passes, says so in its log, and its time limit pauses', async () => {
    let now = 0
    const waits = agentWaits(() => now)
    const { result } = await run(leaving([], []), undefined, {
      waits,
      async prepare(_job, { note }) {
        note('Installing the runtime 2026.04.')
        now += 40_000
      },
    })
    expect(result.outcome).toBe('passed')
    expect(JSON.parse(result.detail ?? '').jobLog[0].msg).toBe('Installing the runtime 2026.04.')
    expect(waits.totalMs).toBe(40_000)
  })

  it('ends with an error that says what to do if it fails', async () => {
    const prepare = () => Promise.reject(new MissingError('install it by hand'))
    const { result, errors } = await run(leaving([], []), undefined, { prepare })
    expect(result).toMatchObject({ outcome: 'error', failure: { message: 'install it by hand' } })
    expect(errors).toEqual([])
  })
})

describe('the output of a code run', () => {
  it('is uploaded with the signal of the run, and always released', async () => {
    const released: string[] = []
    const controller = new AbortController()
    const file = { type: 'file', name: 'a', path: '/nonexistent', contentType: 'text/plain' } as const
    const { result, uploads } = await run(leaving([file], released), controller.signal)
    expect(uploads).toEqual([controller.signal])
    expect(result.outcome).toBe('passed')
    expect(released).toEqual(['released'])
    expect(JSON.parse(result.detail ?? '').jobLog[0].msg).toContain('a is not kept')
  })
})
