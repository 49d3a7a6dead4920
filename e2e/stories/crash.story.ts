import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Installation, printedRequest, type Running } from '../installation.ts'

describe('a server that is killed while it writes', { timeout: 180_000 }, () => {
  let installation: Installation
  let running: Running
  let request: ReturnType<typeof printedRequest>
  const acknowledged = new Set<string>()
  let written = 0

  beforeAll(async () => {
    installation = await Installation.create()
    running = await installation.start({ RATE_LIMIT_PER_MINUTE: '1000000' })
    request = printedRequest(running.output())
  }, 120_000)
  afterAll(() => installation.remove())

  /** Four writers, until the server is gone or `enough` responses have arrived. */
  async function write(enough: number): Promise<void> {
    const before = acknowledged.size
    const writer = async () => {
      while (acknowledged.size < before + enough) {
        const name = `s${written++}`
        const response = await fetch(new URL('/v1/snippets', request.url), {
          method: 'POST',
          headers: { ...request.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ name, script: 'x' }),
        }).catch(() => null)
        if (response === null) return
        if (response.status === 201) acknowledged.add(name)
        // The store is unavailable for a moment: the only accepted error.
        else expect(response.status).toBe(503)
      }
    }
    await Promise.all([writer(), writer(), writer(), writer()])
  }

  async function stored(): Promise<string[]> {
    const names: string[] = []
    for (let page = 1; ; page++) {
      const response = await fetch(new URL(`/v1/snippets?limit=100&page=${page}`, request.url), request)
      const snippets = (await response.json()) as { name: string }[]
      names.push(...snippets.map((snippet) => snippet.name))
      if (snippets.length < 100) return names
    }
  }

  async function expectNothingLost(): Promise<void> {
    const names = await stored()
    expect(new Set(names).size).toBe(names.length)
    expect([...acknowledged].filter((name) => !names.includes(name))).toEqual([])
  }

  it.each([1, 2, 3])('round %i: every process; all acknowledged writes exist', async () => {
    const writing = write(100_000)
    await write(100)
    await running.kill()
    await writing
    running = await installation.start({ RATE_LIMIT_PER_MINUTE: '1000000' })
    await expectNothingLost()
  })

  it.each([1, 2])(
    'round %i: PostgreSQL alone; it comes back, and all that was acknowledged is there',
    async () => {
      const pidFile = join(installation.dataDir, 'postgres', 'postmaster.pid')
      const writing = write(600)
      await write(100)
      process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL')
      await writing
      await expectNothingLost()
    },
  )
})
