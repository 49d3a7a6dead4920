import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkTypes, dayMs, hourMs, type ReportedArtifact } from '@vedette/contracts'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobFolder } from '../blobs/blob-store.ts'
import { recordArtifacts } from '../ingest/artifacts.ts'
import { resultIdOf } from '../ingest/result-id.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { tarGzOf } from '../testing/archives.ts'
import { uploadFile } from '../testing/artifacts.ts'
import { releaseBlobs } from './release-blobs.ts'
import { enforceRetention } from './retention.ts'

const start = Date.UTC(2026, 10, 15, 8)
const log = pino({ level: 'silent' })
const limits = { RESULT_RETENTION_DAYS: 30, DETAIL_RETENTION_DAYS: 7, ROLLUP_RETENTION_MONTHS: 25 }

let api: TestApi
let now = start
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const release = (at: number) =>
  releaseBlobs({ pool: api.store.pool, blobs: api.blobs, retentionMs: 30 * dayMs, now: at })
const upload = (content: string, at = now) =>
  uploadFile(api, api.alice.accountId, { content, name: `${content}.png` }, at)
const pathOf = ({ sha256 }: ReportedArtifact) =>
  join(blobFolder(api.config.DATA_DIR), api.alice.accountId, sha256.slice(0, 2), sha256)

async function record(artifact: ReportedArtifact, scheduledAt: number): Promise<void> {
  const runId = crypto.randomUUID()
  const resultId = resultIdOf(scheduledAt, runId, 1)
  const of = { accountId: api.alice.accountId, checkId: crypto.randomUUID(), resultId, scheduledAt }
  await inTransaction(api.store.pool, async (client) => {
    await ensureDays(client, [scheduledAt])
    await recordArtifacts(client, [{ ...of, artifacts: [artifact] }])
  })
}

async function rowOf({ sha256 }: ReportedArtifact) {
  const { rows } = await api.store.pool.query(
    'select is_stored, examine_at from blobs where account_id = $1 and sha256 = $2',
    [api.alice.accountId, sha256],
  )
  return rows[0]
}

describe('a blob', () => {
  it('without references is deleted after an hour, and not before', async () => {
    const lonely = await upload('lonely')
    await release(start + hourMs - 1)
    expect(existsSync(pathOf(lonely))).toBe(true)
    expect(await release(start + hourMs + 1)).toBe(1)
    expect(existsSync(pathOf(lonely))).toBe(false)
    expect(await rowOf(lonely)).toBeUndefined()
  })

  it('that a result names is deleted with the last of its artifacts', async () => {
    const kept = await upload('kept')
    await record(kept, start)
    await record(kept, start + 10 * dayMs)
    expect(await release(start + 2 * hourMs)).toBe(0)
    expect(await rowOf(kept)).toMatchObject({
      is_stored: true,
      examine_at: new Date(start + 40 * dayMs).toISOString(),
    })
    await enforceRetention(api.store.pool, limits, start + 32 * dayMs, log)
    expect(await release(start + 32 * dayMs)).toBe(0)
    expect(existsSync(pathOf(kept))).toBe(true)
    await enforceRetention(api.store.pool, limits, start + 42 * dayMs, log)
    expect(await release(start + 42 * dayMs)).toBe(1)
    expect(existsSync(pathOf(kept))).toBe(false)
  })

  it('is kept, whether its use or its examination comes first', async () => {
    const raced = await Promise.all(Array.from({ length: 20 }, (_, index) => upload(`raced ${index}`)))
    const later = start + 2 * hourMs
    await Promise.all([...raced.map((artifact) => record(artifact, start)), release(later), release(later)])
    await release(later)
    const { rows } = await api.store.pool.query<{ sha256: string }>('select distinct sha256 from artifacts')
    const named = new Set(rows.map(({ sha256 }) => sha256))
    for (const artifact of raced) {
      expect(existsSync(pathOf(artifact)), artifact.name).toBe(named.has(artifact.sha256))
      expect((await rowOf(artifact))?.is_stored === true).toBe(named.has(artifact.sha256))
    }
  })

  it('that is uploaded while the same bytes are deleted exists afterwards', async () => {
    await upload('again')
    const later = start + 2 * hourMs
    const [, again] = await Promise.all([release(later), upload('again', later)])
    expect(existsSync(pathOf(again))).toBe(true)
    expect(await rowOf(again)).toMatchObject({ is_stored: true })
  })

  it('of a killed upload is deleted, row and file', async () => {
    const sha256 = 'b'.repeat(64)
    await api.store.pool.query(
      `insert into blobs (account_id, sha256, size_bytes, last_used_at, examine_at) values ($1, $2, 1, $3, $3)`,
      [api.alice.accountId, sha256, new Date(start)],
    )
    expect(await release(start + 2 * hourMs)).toBe(1)
    const incoming = `${blobFolder(api.config.DATA_DIR)}.incoming`
    writeFileSync(join(incoming, 'old'), 'half')
    writeFileSync(join(incoming, 'new'), 'half')
    utimesSync(join(incoming, 'old'), new Date(start), new Date(start))
    utimesSync(join(incoming, 'new'), new Date(start + 2 * hourMs), new Date(start + 2 * hourMs))
    await api.blobs.sweep(start + 2 * hourMs)
    expect(readdirSync(incoming)).toEqual(['new'])
  })
})

describe('a code bundle', () => {
  const bundle = async (content: string): Promise<string> => {
    const response = await api.alice.send('POST', '/v1/code-bundles', tarGzOf({ 'a.txt': content }), {
      'content-type': 'application/gzip',
    })
    expect(response.status, response.text).toBe(201)
    return response.body.codeBundlePath
  }
  const paths = async () => {
    const { rows } = await api.store.pool.query<{ path: string }>(
      'select path from code_bundles where size_bytes > 0',
    )
    return rows.map(({ path }) => path)
  }

  it('is deleted when no check names it and it was unused for a week', async () => {
    now = start
    const [used, unused] = [await bundle('used'), await bundle('unused')]
    await api.alice.post('/v1/checks/playwright', { ...checkTypes.PLAYWRIGHT.example, codeBundlePath: used })
    const foreign = { ...checkTypes.PLAYWRIGHT.example, codeBundlePath: unused }
    const unknown = { ...foreign, codeBundlePath: 'code-bundles/none.tar.gz' }
    const [refused, missing] = [
      await api.bob.post('/v1/checks/playwright', foreign),
      await api.bob.post('/v1/checks/playwright', unknown),
    ]
    expect([refused.status, missing.status]).toEqual([400, 400])
    expect(refused.body.attributes.codeBundlePath).toMatch(/^does not exist: upload the archive/)
    expect(refused.body).toEqual(missing.body)
    await enforceRetention(api.store.pool, limits, start + 7 * dayMs, log)
    expect((await paths()).sort()).toEqual([used, unused].sort())
    await enforceRetention(api.store.pool, limits, start + 7 * dayMs + 1, log)
    expect(await paths()).toEqual([used])
    await release(start + 8 * dayMs + 2 * hourMs)
    const { rows } = await api.store.pool.query<{ count: number }>(
      'select count(*) as count from blobs join code_bundles using (account_id, sha256)',
    )
    expect(rows[0]?.count).toBe(1)
  })
})
