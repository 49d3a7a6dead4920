import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Finding } from '@vedette/contracts'
import { afterAll, describe, expect, it } from 'vitest'
import { locationFindings } from './check-connection.ts'

const bin = fileURLToPath(new URL('../../bin/vedette.mjs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'vedette-doctor-'))
afterAll(() => rmSync(home, { recursive: true }))

function run(args: string[], environment: Record<string, string>): Promise<{ code: number; stdout: string }> {
  const env = { PATH: process.env.PATH, HOME: home, PORT: '0', ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, 'doctor', ...args], { cwd: home, env }, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout }),
    )
  })
}

describe('vedette doctor', () => {
  it('ends with 1 after problems: no browser, a server that does not respond', async () => {
    const { code, stdout } = await run(['--json'], {
      CHROMIUM_PATH: join(home, 'chromium'),
      CHECKLY_API_URL: 'http://127.0.0.1:1',
      CHECKLY_API_KEY: 'vu_planted',
      CHECKLY_ACCOUNT_ID: 'a',
    })
    expect(code).toBe(1)
    const { problems, sections } = JSON.parse(stdout)
    const findings: Finding[] = sections.flatMap((section: { findings: Finding[] }) => section.findings)
    const found = findings.filter(({ level }) => level === 'problem')
    expect(found.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['Browser', 'Server']))
    expect(found.every(({ fix }) => fix !== undefined)).toBe(true)
    expect(problems).toBe(found.length)
    expect(stdout).not.toContain('vu_planted')
  })

  it('names settings that are wrong', async () => {
    const { code, stdout } = await run([], { PORT: 'many' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/problem {2}Settings: .*\n +PORT: must be a whole number/)
    expect(stdout).toContain('Login: None.')
  })
})

describe('the locations of the account', () => {
  const agent = {
    id: 'b2f5ff47-98a2-4d7b-8d37-05d4f9a6b3a1',
    name: 'office-1',
    kind: 'private' as const,
    state: 'running' as const,
    version: '0.1.0',
    isOutdated: true,
    startedAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    checkTypes: [],
    slots: null,
    running: null,
    isolation: null,
    network: null,
  }
  const status = {
    location: 'office',
    name: 'Office',
    privateLocationId: null,
    agents: [agent],
    checkCount: 3,
    waiting: { runs: 0, oldestMs: 0 },
    lag: null,
    alarm: null,
  }

  it('are sound with an agent, or without checks', () => {
    const findings = locationFindings([status, { ...status, agents: [], checkCount: 0 }])
    expect(findings.map(({ level, subject }) => [level, subject])).toEqual([
      ['warning', 'Agent'],
      ['ok', 'Locations'],
    ])
  })

  it('are a problem if their agents are gone', () => {
    const gone = { ...agent, state: 'gone' as const }
    expect(locationFindings([{ ...status, agents: [gone] }])).toEqual([
      expect.objectContaining({
        level: 'problem',
        message: expect.stringContaining('No agent is connected for office'),
      }),
    ])
  })
})
