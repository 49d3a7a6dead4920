import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucket, type TestBucket } from '../../blobs/bucket.fixture.ts'
import { bucketKey } from '../../blobs/bucket-signature.fixture.ts'
import { readConfig } from '../../config.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { writeDirectory } from './directory.ts'
import { pagesExport } from './export-pages.ts'
import { siteFiles } from './site.ts'

let api: TestApi
let now = Date.now()
let serviceId: string
let incidentId: string
let bucket: TestBucket
const folder = mkdtempSync(join(tmpdir(), 'vedette-export-'))

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  serviceId = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body.id
  const cards = [{ name: 'Shop', services: [{ id: serviceId }] }]
  await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'Acme', cards })
  await api.alice.post('/v1/status-pages', { name: 'Inside', url: 'inside', cards, isPrivate: true })
  const long = new Date(now - 70 * dayMs).toISOString()
  incidentId = (
    await api.alice.post('/v1/status-pages/incidents', {
      ...{ name: 'Payments fail', severity: 'MAJOR', services: [{ id: serviceId }] },
      incidentUpdates: [{ description: 'It began.', status: 'RESOLVED', publicIncidentUpdateDate: long }],
    })
  ).body.id
  bucket = await startBucket('copies')
})
afterAll(async () => {
  await bucket.close()
  await api.close()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, includePrivate = false) => {
  const options = { url: 'https://copy.example.com', includePrivate }
  return writeDirectory(join(folder, name), siteFiles(api.store.db, options, now))
}
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

describe('an export', () => {
  it('has the images of its pages', async () => {
    const logo = 'https://example.com/logo.svg'
    await api.alice.post('/v1/status-pages', { name: 'Drawn', url: 'drawn', cards: [], logo, favicon: logo })
    const { pool } = api.store
    await pool.query(`update page_images set bytes = '<svg/>', type = 'image/svg+xml', hash = 'abc'`)
    await write('drawn')
    expect(read('drawn/drawn/images/abc.svg')).toBe('<svg/>')
    expect(read('drawn/drawn/index.html')).toContain('<img class="logo" src="./images/abc.svg" alt="">')
    expect(read('drawn/drawn/history/index.html')).toContain('src="../images/abc.svg"')
    const { rows } = await pool.query(`delete from status_pages where url = 'drawn' returning id`)
    expect(rows).toHaveLength(1)
  })

  it('has the public pages with incidents, history and feeds, and links that work anywhere', async () => {
    await write('site')
    expect(globSync('**/*', { cwd: join(folder, 'site') })).not.toContain('inside')
    const page = read('site/acme/index.html')
    expect(page).toContain('All systems operational')
    expect(page).toContain('href="./history"')
    expect(page).not.toContain('<form')
    expect(page).not.toContain('?lang=')
    expect(read(`site/acme/incidents/${incidentId}/index.html`)).toContain('href="../../"')
    expect(read('site/acme/history/index.html')).toContain('href="../history/')
    expect(read('site/acme/feed.rss')).toContain(`https://copy.example.com/acme/incidents/${incidentId}`)
    const month = new Date(now - 70 * dayMs).toISOString().slice(0, 7)
    expect(read(`site/acme/history/${month}/index.html`)).toContain(`href="../../incidents/${incidentId}"`)
  })

  it('has private pages only if asked, without their keys', async () => {
    await write('private', true)
    expect(read('private/inside/index.html')).toContain('Checkout')
    await write('private')
    expect(existsSync(join(folder, 'private/inside/index.html'))).toBe(false)
  })

  it('replaces what changed, removes what is gone, and leaves other files alone', async () => {
    await write('again')
    writeFileSync(join(folder, 'again/robots.txt'), 'mine')
    const { body } = await api.alice.post('/v1/status-pages', { name: 'Soon gone', url: 'gone', cards: [] })
    await write('again')
    expect(read('again/gone/index.html')).toContain('Soon gone')
    await api.alice.delete(`/v1/status-pages/${body.id}`)
    await write('again')
    expect(existsSync(join(folder, 'again/gone/index.html'))).toBe(false)
    expect(read('again/robots.txt')).toBe('mine')
    expect(globSync('**/*.new', { cwd: join(folder, 'again') })).toEqual([])
  })

  it('writes everything anew after its manifest was damaged, and never outside of its directory', async () => {
    await write('damaged')
    writeFileSync(join(folder, 'damaged/vedette-pages.json'), '{')
    rmSync(join(folder, 'damaged/acme/index.html'))
    await write('damaged')
    expect(read('damaged/acme/index.html')).toContain('Acme')
    rmSync(join(folder, 'damaged/acme/index.html'))
    await write('damaged')
    expect(read('damaged/acme/index.html')).toContain('Acme')
    writeFileSync(join(folder, 'outside.txt'), 'kept')
    writeFileSync(join(folder, 'damaged/vedette-pages.json'), JSON.stringify({ '../outside.txt': 'x' }))
    await write('damaged')
    expect(read('outside.txt')).toBe('kept')
  })
})

describe('a copy on a timer', () => {
  const configOf = (to: string) =>
    readConfig({
      ...{ PAGES_EXPORT_TO: to, DATA_DIR: join(folder, 'data'), PUBLIC_URL: 'https://vedette.test' },
      ...{ S3_URL: bucket.url, S3_REGION: bucketKey.region },
      ...{ S3_ACCESS_KEY_ID: bucketKey.accessKeyId, S3_SECRET_ACCESS_KEY: bucketKey.secretAccessKey },
    })
  const exportTo = (to: string) =>
    pagesExport(configOf(to), {
      store: api.store,
      clock: { now: () => now },
      publicUrl: 'https://vedette.test',
    })?.()

  it('goes to a directory', async () => {
    await exportTo(join(folder, 'copy'))
    expect(read('copy/acme/feed.json')).toContain('https://vedette.test/s/acme')
  })

  it('goes to a bucket: what changed, and the manifest', async () => {
    await exportTo('s3://copies/status')
    const names = [...bucket.objects.keys()]
    expect(names).toContain('status/acme/index.html')
    expect(names).toContain('status/vedette-pages.json')
    const { body } = await api.alice.post('/v1/status-pages', { name: 'Extra', url: 'extra', cards: [] })
    now += 1000
    await exportTo('s3://copies/status')
    expect([...bucket.objects.keys()]).toContain('status/extra/index.html')
    await api.alice.delete(`/v1/status-pages/${body.id}`)
    await exportTo('s3://copies/status')
    expect([...bucket.objects.keys()]).not.toContain('status/extra/index.html')
  })

  it('is off by default', () => {
    expect(
      pagesExport(readConfig({ DATA_DIR: folder }), {
        ...{ store: api.store, clock: { now: () => now }, publicUrl: '' },
      }),
    ).toBeNull()
  })

  it('needs the keys of the bucket', () => {
    expect(() => readConfig({ PAGES_EXPORT_TO: 's3://copies' })).toThrow(
      'S3_URL: is required with PAGES_EXPORT_TO',
    )
  })
})
