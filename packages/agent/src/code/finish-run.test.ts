import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ReportedResult } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import type { CodeOutcome, LogLine } from './code-runner.ts'
import { type FinishDeps, finishRun } from './finish-run.ts'

let tempFolder: string
beforeAll(() => {
  tempFolder = mkdtempSync(join(tmpdir(), 'vedette-finish-'))
})
afterAll(() => rmSync(tempFolder, { recursive: true, force: true }))

const times = { startedAt: 1_000, durationMs: 2_000, isCancelled: false }
const line = (msg: string): LogLine => ({ time: 1, level: 'INFO', msg })

function finish(secrets: string[], given: Partial<CodeOutcome>): Promise<ReportedResult> {
  const deps: FinishDeps = { tempFolder, now: () => 5, upload: async () => [] }
  const outcome: CodeOutcome = {
    ...{ outcome: 'failed', failure: null, responseTimeMs: 1, metrics: {}, sslDaysRemaining: null },
    ...{ detail: {}, log: [], files: [], foundSecrets: [], release: async () => undefined },
    ...given,
  }
  return finishRun(
    jobExample('http://127.0.0.1:1', { checkType: 'BROWSER', secrets }),
    outcome,
    times,
    deps,
    new AbortController().signal,
  )
}

const detailOf = ({ detail }: ReportedResult) => JSON.parse(detail ?? 'null')

describe('the report of a code run', () => {
  it('contains no secret and stays valid, even if the secret is a keyword', async () => {
    const words = ['script', 'wait', 'msg', 'time', 'level', 'INFO', 'kind', 'message']
    const failure = { kind: 'script', phase: 'wait', message: 'the script printed hunter2' } as const
    const result = await finish([...words, 'hunter2'], { failure, log: [line('hunter2 and more')] })
    expect(ReportedResult.safeParse(result).error).toBeUndefined()
    expect(result.failure).toMatchObject({ kind: 'script', phase: 'wait' })
    expect(detailOf(result).jobLog).toEqual([{ time: 1, level: 'INFO', msg: '********* and more' }])
    expect(JSON.stringify(result)).not.toContain('hunter2')
  })

  it('contains no line of a multi-line secret', async () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\r\n  9w0BAQEFAASCBKcwggSj\n-----END KEY-----\n'
    const log = key.split(/\r?\n/).map((text) => line(`> ${text}`))
    const result = await finish([key], { log })
    expect(result.detail).not.toMatch(/MIIEvQIB|9w0BAQEF/)
  })

  it.each([1, 5, 40])(
    'contains no beginning of a secret that was truncated after %i characters',
    async (kept) => {
      const secret = `s3cr3t-${'0123456789abcdef'.repeat(4)}`
      const cut = `${'x'.repeat(3_000)}${secret.slice(0, kept + 2)}…`
      const result = await finish([secret], { log: [line(cut)], detail: { errors: [{ message: cut }] } })
      expect(result.detail).not.toContain(secret.slice(0, kept + 2))
    },
  )

  it('contains no secret that was set during the run', async () => {
    const result = await finish([], { log: [line('token-4711')], foundSecrets: ['token-4711'] })
    expect(detailOf(result).jobLog[0].msg).toBe('*********')
  })
})
