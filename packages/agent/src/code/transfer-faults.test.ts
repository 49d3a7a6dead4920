// Files on their way while servers come and go, and while the disk of this machine is full.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleDownloader } from '../artifacts/download-bundle.ts'
import type { OutputFile } from '../artifacts/output-file.ts'
import { scrubFiles } from '../artifacts/scrub-file.ts'
import { uploadArtifacts } from '../artifacts/upload-artifacts.ts'
import { AgentServer, jobExample } from '../connection/agent-server.fixture.ts'
import { createServerClient } from '../connection/server-client.ts'
import { createServerClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { createScrubber } from '../scrub/scrub.ts'
import type { CodeOutcome } from './code-runner.ts'
import { finishRun } from './finish-run.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
let folder: string
let server: AgentServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-transfer-'))
  cleanUps.push(() => rmSync(folder, { recursive: true }))
  server = await serverAt()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serverAt(port = 0): Promise<AgentServer> {
  const one = new AgentServer()
  await one.listen(port)
  cleanUps.push(() => one.kill())
  return one
}

function clientOf(url: string) {
  const log = createLog('INFO', () => undefined)
  const options = { servers: [url], apiKey: 'pl_test', version: '1' }
  const client = createServerClient(options, createServerClock(), log)
  cleanUps.push(() => client.close())
  return client
}

function fileOf(name: string, content: string | Buffer): OutputFile {
  const path = join(folder, name)
  writeFileSync(path, content)
  return { type: 'file', name, path, contentType: 'text/plain' }
}

const shaOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

async function upload(files: OutputFile[], deadlineMs = 60_000) {
  const left: string[] = []
  const how = { token: 'lease-1', agentId: crypto.randomUUID(), signal: new AbortController().signal }
  const onLeft = (line: string) => void left.push(line)
  const artifacts = await uploadArtifacts(files, {
    client: clientOf(server.url),
    ...how,
    deadlineMs,
    onLeft,
  })
  return { artifacts, left }
}

/** Called when the next file is complete, before the response. */
function onUpload(happen: () => void): void {
  server.failWith = {
    calls: ['upload'],
    get status() {
      server.failWith = null
      happen()
      return null
    },
  }
}

describe('a file', () => {
  const bytes = Buffer.alloc(2_000_000, 'abc')

  it('is not sent again if only the response was lost', async () => {
    const calls = Object.assign(['upload'], {
      includes: (call: string) => call === 'upload' && server.artifacts.set(shaOf(bytes), bytes).size > 0,
    })
    server.failWith = { calls, status: 502 }
    const { artifacts, left } = await upload([fileOf('a', bytes)])
    expect([artifacts.length, left, server.uploadTokens]).toEqual([1, [], []])
  })

  it('reaches a server that restarted meanwhile', async () => {
    const { port } = server
    let second: Promise<AgentServer> | null = null
    onUpload(() => {
      second = server.kill().then(() => serverAt(port))
    })
    const { artifacts, left } = await upload([fileOf('a', bytes)])
    expect([artifacts.length, left]).toEqual([1, []])
    const other = (await second) as AgentServer | null
    expect(other?.artifacts.get(shaOf(bytes))?.equals(bytes)).toBe(true)
  })

  it.each([503, 507])('is left out with a reason if the server has no space (%s)', async (status) => {
    server.failWith = { calls: ['upload'], status }
    const { artifacts, left } = await upload([fileOf('a', 'x')], 1_000)
    expect(artifacts).toEqual([])
    expect(left).toHaveLength(1)
    expect(left[0]).toContain('a is not kept: there was no time left to upload it (http')
    expect(left[0]).toContain(`responded ${status}: broken on purpose)`)
  })
})

/** A file system that is full; null where this machine gives us none. */
function fullDisk(): string | null {
  const full = join(folder, 'full')
  execFileSync('mkdir', [full])
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', full]).status !== 0) return null
  cleanUps.push(() => execFileSync('umount', ['-l', full]))
  try {
    writeFileSync(join(full, 'filler'), Buffer.alloc(128 * 1024))
  } catch {
    // What was written of it stays, and that is the point.
  }
  return full
}

describe('on a full disk', () => {
  const secret = 'a-secret-of-the-run'
  const big = `${secret}\n${'x'.repeat(3_000_000)}`

  it('what can be scrubbed in memory is kept, the rest is left out with a note', async (context) => {
    const full = fullDisk()
    if (full === null) return context.skip()
    const files = [fileOf('big.txt', big), fileOf('clean.txt', 'nothing to hide')]
    const { files: kept, notes } = await scrubFiles(files, createScrubber([secret]), { tempFolder: full })
    expect(kept.map(({ name }) => name)).toEqual(['clean.txt'])
    expect(notes).toEqual([expect.stringMatching(/^big\.txt is not kept: ENOSPC/)])
    expect(readdirSync(full)).toEqual(['filler'])
  })

  it('the result is reported, with a note instead of its files', async (context) => {
    const full = fullDisk()
    if (full === null) return context.skip()
    const outcome: CodeOutcome = {
      ...{ outcome: 'passed', failure: null, responseTimeMs: 1, metrics: {}, sslDaysRemaining: null },
      ...{ detail: {}, log: [], foundSecrets: [], release: async () => undefined },
      files: [fileOf('big.txt', big)],
    }
    const times = { startedAt: 1, durationMs: 2, isCancelled: false }
    const signal = new AbortController().signal
    const job = jobExample('http://127.0.0.1', { checkType: 'BROWSER', secrets: [secret] })
    for (const tempFolder of [full, join(full, 'that', 'is', 'not', 'there')]) {
      const deps = { tempFolder, now: () => 5, upload: async () => [] }
      const result = await finishRun(job, outcome, times, deps, signal)
      expect(result.outcome).toBe('passed')
      expect(JSON.stringify(result)).toMatch(/big\.txt is not kept: ENOSPC|couldn't be kept: ENO/)
    }
  })

  it('a bundle download fails at once, with the reason', async (context) => {
    const full = fullDisk()
    if (full === null) return context.skip()
    server.bundle = Buffer.alloc(500_000, 'bundle')
    const path = join(full, 'bundle')
    const load = bundleDownloader(clientOf(server.url))('lease-1', path, new AbortController().signal)
    await expect(load).rejects.toThrow(/ENOSPC/)
    expect(existsSync(path)).toBe(false)
  })
})
