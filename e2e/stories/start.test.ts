import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Installation, printedRequest, type Running } from '../installation.ts'

describe('npm start in a new checkout', { timeout: 120_000 }, () => {
  let installation: Installation
  let running: Running
  let request: ReturnType<typeof printedRequest>

  beforeAll(async () => {
    installation = await Installation.create()
    running = await installation.start()
    request = printedRequest(running.output())
  }, 120_000)
  afterAll(() => installation.remove())

  it('prints an address, a key and an account id, and the printed command gets a 200', async () => {
    expect(running.output()).toMatch(/Address\s+http:\/\/localhost:\d+/)
    expect(running.output()).toMatch(/API key\s+vu_[0-9a-f]{32}/)
    expect(running.output()).toMatch(/Account id\s+[0-9a-f-]{36}/)
    const response = await fetch(request.url, request)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id: request.headers['x-service-account'] })
  })

  it('refuses a second server on the same data, with the reason', async () => {
    await expect(installation.start({ PORT: '0' })).rejects.toThrow(/already running/)
  })

  it('loses nothing acknowledged when every process is killed, and continues with the same key', async () => {
    const names: string[] = []
    for (let index = 0; index < 20; index++) {
      const response = await fetch(new URL('/v1/snippets', request.url), {
        method: 'POST',
        headers: { ...request.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `s${index}`, script: 'x' }),
      })
      if (response.status === 201) names.push(`s${index}`)
    }
    expect(names).toHaveLength(20)
    await running.kill()
    expect(running.processes()).toEqual([])
    running = await installation.start()
    expect(running.output()).toContain('existing data')
    expect(running.output()).not.toContain('vu_')
    expect((await fetch(request.url, request)).status).toBe(200)
    const list = await fetch(new URL('/v1/snippets?limit=100', request.url), request)
    expect(((await list.json()) as { name: string }[]).map((snippet) => snippet.name)).toEqual(names)
  })

  it('stops the PostgreSQL that a killed server left behind, and starts on its data', {
    tags: ['story'],
  }, async () => {
    const orphans = running.processes()
    const server = orphans.filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('server/src/main.ts'),
    )
    expect(server).toHaveLength(1)
    process.kill(server[0] as number, 'SIGKILL')
    running = await installation.start()
    expect((await fetch(request.url, request)).status).toBe(200)
  })

  it('restarts PostgreSQL when it is killed', { tags: ['story'] }, async () => {
    const postmaster = () =>
      Number(readFileSync(join(installation.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    const killed = postmaster()
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => postmaster()).not.toBe(killed)
    const status = async () => (await fetch(new URL('/v1/snippets', request.url), request)).status
    await expect.poll(status).toBe(200)
  })

  it('hides its secrets from other users of the machine', () => {
    for (const file of ['secret-key', 'postgres-password']) {
      expect(statSync(join(installation.dataDir, file)).mode & 0o077, file).toBe(0)
    }
  })

  it('stops every process on SIGTERM', async () => {
    await running.terminate('SIGTERM')
    const errors = running.errors()
    expect(errors).toContain('Stopped.')
    expect(errors.slice(errors.lastIndexOf('server.stopping'))).not.toContain('FATAL')
    expect(running.processes()).toEqual([])
  })

  /** Stories run without the tests above. */
  async function ensureStopped(): Promise<void> {
    if (running.processes().length > 0) await running.terminate()
  }

  it('prints what to do if the port is in use', { tags: ['story'] }, async () => {
    await ensureStopped()
    const other = createServer().listen(installation.port, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    try {
      await expect(installation.start()).rejects.toThrow(/Port \d+ is taken/)
    } finally {
      await new Promise((resolve) => other.close(resolve))
    }
  })

  it('refuses a SECRET_KEY that is not the key of the data', { tags: ['story'] }, async () => {
    await ensureStopped()
    await expect(installation.start({ SECRET_KEY: 'quite another secret key' })).rejects.toThrow(/SECRET_KEY/)
  })

  it('names every wrong setting', async () => {
    await expect(installation.start({ LOG_LEVEL: 'loud', PUBLIC_URL: 'ftp://x' })).rejects.toThrow(
      /PUBLIC_URL[\s\S]*LOG_LEVEL|LOG_LEVEL[\s\S]*PUBLIC_URL/,
    )
  })

  async function expectStop(signal: NodeJS.Signals, whom: 'group' | 'npm'): Promise<void> {
    await ensureStopped()
    running = await installation.start()
    await running.terminate(signal, whom)
    expect(running.processes()).toEqual([])
  }
  it.each([
    ['SIGKILL', 'npm'],
    ['SIGINT', 'group'],
    ['SIGTERM', 'npm'],
    ['SIGINT', 'npm'],
  ] as const)('stops everything on %s to the %s', { tags: ['story'] }, expectStop)
})
