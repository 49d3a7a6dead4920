import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import type { Finding } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { touchServer } from '../../storage/runs/servers.ts'
import { furnish, newDataDir, operate, withEmbedded } from '../../testing/operator.ts'
import { checkDataDir } from './data-dir.ts'

const dataDir = newDataDir()
const folder = dirname(dataDir)

beforeAll(() => withEmbedded(dataDir, (store) => furnish(store, dataDir)))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function examine(environment: Record<string, string>): Promise<Map<string, Finding>> {
  const { code, json, stderr } = await operate(
    { DATA_DIR: dataDir, PORT: '0', ...environment },
    'doctor',
    '--json',
  )
  expect(code, stderr).toBe(0)
  return new Map(json.map((finding: Finding) => [finding.subject, finding]))
}

/** A port of this machine that a program uses, or that one has just stopped using. */
async function openPort(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, server }
}

describe('vedette doctor, in an installation', () => {
  it('finds a sound one, whose server is stopped', async () => {
    const findings = await examine({ PUBLIC_URL: 'https://monitoring.example.com' })
    expect(findings.get('PostgreSQL')).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('embedded'),
    })
    for (const subject of ['Data directory', 'Schema', 'Secret key', 'Clock of PostgreSQL', 'PUBLIC_URL']) {
      expect(findings.get(subject)).toMatchObject({ level: 'ok' })
    }
    expect(findings.get('Mail')).toMatchObject({ level: 'warning', fix: expect.stringContaining('SMTP_URL') })
    expect(findings.has('Agents')).toBe(false)
  })

  it('finds the one that runs, and that no agent is connected', async () => {
    const { port, server } = await openPort()
    await withEmbedded(dataDir, async (store) => {
      await touchServer(store.pool, randomUUID(), Date.now())
      const findings = await examine({ PORT: String(port), HOST: '127.0.0.1' })
      expect(findings.get('Port')).toEqual({
        subject: 'Port',
        level: 'ok',
        message: `The server listens on port ${port}.`,
      })
      expect(findings.get('Agents')).toMatchObject({
        level: 'problem',
        fix: expect.stringContaining('vedette agent'),
      })
      await store.pool.query('delete from servers')
    })
    server.close()
  })

  it('finds a port that another program uses', async () => {
    const { port, server } = await openPort()
    const findings = await examine({ PORT: String(port), HOST: '127.0.0.1' })
    expect(findings.get('Port')).toMatchObject({ level: 'problem', fix: expect.stringContaining('set PORT') })
    server.close()
  })

  it('finds a database and a mail server that are not there', async () => {
    const { port, server } = await openPort()
    await new Promise((resolve) => server.close(resolve))
    const findings = await examine({
      DATABASE_URL: `postgres://u:planted-password@127.0.0.1:${port}/vedette`,
      SMTP_URL: `smtp://u:planted-password@127.0.0.1:${port}`,
    })
    expect(findings.get('PostgreSQL')).toMatchObject({
      level: 'problem',
      message: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('DATABASE_URL'),
    })
    expect(findings.get('Mail')).toMatchObject({ level: 'problem' })
    expect(JSON.stringify([...findings.values()])).not.toContain('planted-password')
  })

  it('finds that the secret key is gone, is another one, or can be read by all', async () => {
    const path = join(dataDir, 'secret-key')
    renameSync(path, `${path}.aside`)
    expect((await examine({})).get('Secret key')).toMatchObject({
      level: 'problem',
      message: expect.stringContaining('is missing'),
    })
    writeFileSync(path, 'another-key-with-enough-characters\n', { mode: 0o600 })
    expect((await examine({})).get('Secret key')).toMatchObject({ level: 'problem' })
    renameSync(`${path}.aside`, path)
    chmodSync(path, 0o644)
    expect((await examine({})).get('Secret key')).toMatchObject({
      level: 'warning',
      fix: `chmod 600 ${path}`,
    })
    chmodSync(path, 0o600)
  })
})

describe('the data directory', () => {
  it('is no file', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(checkDataDir(file)).toMatchObject({
      level: 'problem',
      message: expect.stringContaining("isn't a directory"),
    })
    expect(checkDataDir(join(file, 'below'))).toMatchObject({ level: 'problem' })
  })

  it('belongs to the user of the server', () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o500 })
    const uid = process.geteuid?.() ?? 0
    // Root may write everywhere.
    if (uid === 0) process.seteuid?.(65_534)
    try {
      expect(checkDataDir(closed)).toMatchObject({
        level: 'problem',
        message: expect.stringMatching(/EACCES|permission/),
        fix: expect.stringContaining('chown'),
      })
    } finally {
      if (uid === 0) process.seteuid?.(uid)
    }
  })

  it('is closed to others', () => {
    const open = join(folder, 'open')
    mkdirSync(open)
    chmodSync(open, 0o755)
    expect(checkDataDir(open)).toMatchObject({ level: 'warning', fix: `chmod o-rwx ${open}` })
  })
})
