import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { metricLayoutVersion, resultMetrics } from '@vedette/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { createServerClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { AgentServer, until } from './agent-server.fixture.ts'
import { openJournal } from './journal.ts'
import { Outbox } from './outbox.ts'
import { createServerClient } from './server-client.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-outbox-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function outboxOf(folder: string, options: { memoryBytes?: number } = {}) {
  const home = new AgentServer()
  await home.listen()
  const lines: string[] = []
  const reports: string[] = []
  const log = createLog('DEBUG', (line) => lines.push(line))
  const clock = createServerClock()
  const client = createServerClient({ servers: [home.url], apiKey: 'pl_test', version: '1' }, clock, log)
  const journal = await openJournal(folder)
  if (!journal) throw new Error('the folder is taken')
  const outbox = new Outbox({
    agentId: crypto.randomUUID(),
    client,
    journal,
    log,
    report: (message) => reports.push(message),
    retryJournalMs: 20,
    ...options,
  })
  const close = async () => {
    await outbox.close()
    await journal.close()
    client.close()
    await home.kill()
  }
  cleanUps.push(close)
  return { home, outbox, lines, reports, close }
}

const brokenResult = {
  startedAt: 1,
  durationMs: 1,
  responseTimeMs: null,
  outcome: 'error',
  overMaxResponseTime: false,
  failure: { kind: 'internal', message: 'x', phase: 'setup' },
  statusCode: null,
  metrics: resultMetrics.URL.map(() => null),
  metricLayout: metricLayoutVersion,
  sslDaysRemaining: null,
  artifacts: [],
  agenticScript: null,
}

function push(outbox: Outbox, token: string, detail = '{}', owner = ''): void {
  outbox.push(token, JSON.stringify({ ...brokenResult, token, detail }), { owner, canWait: false })
}

describe('results on their way', () => {
  it('go in few batches, all of them, once each and in order', async () => {
    const { home, outbox } = await outboxOf(folderOf())
    for (let at = 0; at < 1_234; at++) push(outbox, `t${at}`)
    await outbox.waitUntilEmpty(10_000)
    expect(home.results.map(({ token }) => token)).toEqual(Array.from({ length: 1_234 }, (_, at) => `t${at}`))
    expect(outbox.size).toBe(0)
  })

  it('are read from the disk again when they are too many for the memory', async () => {
    const { home, outbox } = await outboxOf(folderOf(), { memoryBytes: 3_000 })
    home.failWith = { calls: ['results'], status: 500 }
    for (let at = 0; at < 50; at++) push(outbox, `t${at}`, `"${'ü'.repeat(1_000)}"`)
    await outbox.waitUntilEmpty(0)
    expect(outbox.size).toBe(50)
    home.failWith = null
    await outbox.waitUntilEmpty(10_000)
    expect(home.results).toHaveLength(50)
    expect(home.results[49]).toMatchObject({ token: 't49', detail: `"${'ü'.repeat(1_000)}"` })
  })

  it('go in batches that a server can take, however large each is', async () => {
    const { home, outbox } = await outboxOf(folderOf())
    for (let at = 0; at < 6; at++) push(outbox, `t${at}`, JSON.stringify('x'.repeat(1_900_000)))
    await outbox.waitUntilEmpty(20_000)
    expect(home.results).toHaveLength(6)
  })
})

describe('small results', () => {
  const large = JSON.stringify('x'.repeat(200_000))

  it('are delivered while large ones are stuck', async () => {
    const { home, outbox } = await outboxOf(folderOf())
    home.neverResponds = ({ detail }) => detail === large
    for (let at = 0; at < 20; at++) push(outbox, `large ${at}`, large)
    for (let at = 0; at < 20; at++) push(outbox, `small ${at}`)
    await until(() => outbox.size === 20, 'the small ones to be acknowledged')
    expect(home.results.map(({ token }) => token)).toEqual(
      Array.from({ length: 20 }, (_, at) => `small ${at}`),
    )
    expect(outbox.tokens().sort()).toEqual(Array.from({ length: 20 }, (_, at) => `large ${at}`).sort())
  })

  it('of another account do not wait until all large ones of another are sent', async () => {
    const { home, outbox } = await outboxOf(folderOf())
    home.failWith = { calls: ['results'], status: 503 }
    for (let at = 0; at < 60; at++) push(outbox, `a${at}`, large, 'account a')
    push(outbox, 'b', large, 'account b')
    await outbox.waitUntilEmpty(0)
    home.failWith = null
    await outbox.waitUntilEmpty(20_000)
    const tokens = home.results.map(({ token }) => token)
    expect(tokens).toHaveLength(61)
    // Two senders, with four or five of these results per batch.
    expect(tokens.indexOf('b')).toBeLessThan(20)
  })
})

/** A disk that is full, really: a small file system where root may mount one, else a folder that can't be written. */
function smallDisk(): { folder: string; fill(): void; free(): void } | null {
  const folder = folderOf()
  if (process.getuid?.() !== 0) {
    const set = (mode: number) => chmodSync(join(folder, 'journal'), mode)
    cleanUps.push(() => set(0o700))
    return { folder, fill: () => set(0o500), free: () => set(0o700) }
  }
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) return null
  cleanUps.push(() => execFileSync('umount', ['-l', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      for (let size = 1_048_576; size >= 4_096; size /= 2) {
        try {
          writeFileSync(`${filler}-${size}`, Buffer.alloc(size))
        } catch {
          // What was written of it stays, and that is the point.
        }
      }
    },
    free() {
      for (let size = 1_048_576; size >= 4_096; size /= 2) rmSync(`${filler}-${size}`, { force: true })
    },
  }
}

describe('results on a disk that is full', () => {
  it('are sent from memory with an error, and are journaled again when there is free space', async ({
    skip,
  }) => {
    const disk = smallDisk() ?? skip('root of a container may not mount a small disk')
    const first = await outboxOf(disk.folder)
    first.home.failWith = { calls: ['results'], status: 503 }
    disk.fill()
    push(first.outbox, 'a', JSON.stringify('x'.repeat(100_000)))
    await until(() => first.outbox.journalError !== null, 'trouble')
    expect(first.lines.filter((line) => line.includes('journal.failed'))).toHaveLength(1)
    expect(first.reports).toHaveLength(1)
    push(first.outbox, 'b')
    first.home.failWith = null
    await first.outbox.waitUntilEmpty(10_000)
    // Small results don't wait behind large ones.
    expect(first.home.results.map(({ token }) => token).sort()).toEqual(['a', 'b'])
    expect(first.outbox.journalError).not.toBeNull()

    first.home.failWith = { calls: ['results'], status: 503 }
    push(first.outbox, 'c', JSON.stringify('x'.repeat(100_000)))
    push(first.outbox, 'd')
    await first.outbox.waitUntilEmpty(0)
    disk.free()
    await until(() => first.outbox.journalError === null, 'an end of trouble')
    expect(first.lines.some((line) => line.includes('journal.recovered'))).toBe(true)
    cleanUps.splice(cleanUps.indexOf(first.close), 1)
    await first.close()

    const second = await outboxOf(disk.folder)
    await second.outbox.waitUntilEmpty(10_000)
    expect(second.home.results.map(({ token }) => token).sort()).toEqual(['c', 'd'])
  })
})
