// Uploads to a full disk: a small file system, if this machine can mount one.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { tarGzOf } from '../../testing/archives.ts'

const folder = mkdtempSync(join(tmpdir(), 'vedette-full-'))
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status === 0
const dataDir = join(folder, 'data')
let api: TestApi | null = null
beforeAll(async () => {
  if (!isMounted) return
  mkdirSync(dataDir)
  // The reserve of the server would refuse before the disk is full.
  api = await startTestApi({ DATA_DIR: dataDir, DISK_RESERVE_PERCENT: '0' })
})
afterAll(async () => {
  await api?.close()
  if (isMounted) execFileSync('umount', ['-l', folder])
  rmdirSync(folder)
})

const upload = (bytes: Buffer) =>
  (api as TestApi).alice.send('POST', '/v1/code-bundles', bytes, { 'content-type': 'application/gzip' })
const archive = (bytes: number) => tarGzOf({ 'noise.txt': randomBytes(bytes / 2).toString('hex') })

describe.skipIf(!isMounted)('an upload onto a full disk', () => {
  it('503: leaves no files, and works again when there is free space', async () => {
    const full = await upload(archive(8_000_000))
    expect([full.status, full.body.message]).toEqual([
      503,
      'The storage for files is full. Ask the operator to free some space.',
    ])
    expect(readdirSync(join(dataDir, 'artifacts.incoming'))).toEqual([])
    expect((await upload(archive(200_000))).status).toBe(201)
    const filler = join(folder, 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(4_000_000))).toThrow('ENOSPC')
    expect((await upload(archive(200_000))).status).toBe(503)
    rmSync(filler)
    expect((await upload(archive(200_000))).status).toBe(201)
    const { rows } = await (api as TestApi).store.pool.query(
      'select count(*)::int as names, count(*) filter (where b.is_stored)::int as stored from code_bundles join blobs b using (account_id, sha256)',
    )
    expect(rows).toEqual([{ names: 2, stored: 2 }])
  })
})
