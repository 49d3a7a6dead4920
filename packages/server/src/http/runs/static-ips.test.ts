import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const ipv4 = { 'eu-west-1': ['192.0.2.1', '192.0.2.2'], 'us-east-1': ['198.51.100.7', '192.0.2.2'] }
const ipv6 = { 'eu-west-1': ['2001:db8::/56', '2001:db8:1::7'] }

let folder: string
let api: TestApi
let plain: TestApi
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'static-ips-'))
  const file = join(folder, 'ips.json')
  writeFileSync(file, JSON.stringify({ ipv4, ipv6 }))
  api = await startTestApi({ STATIC_IPS_FILE: file })
  plain = await startTestApi()
})
afterAll(async () => {
  await api.close()
  await plain.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the static-ip routes', () => {
  it('200: list every IPv4 address once, also without a key', async () => {
    const { status, body } = await api.nobody.get('/v1/static-ips')
    expect(status).toBe(200)
    expect(body).toEqual(['192.0.2.1', '192.0.2.2', '198.51.100.7'])
    expect((await api.alice.get('/v1/static-ips')).body).toEqual(body)
  })

  it('200: group addresses by region', async () => {
    expect((await api.nobody.get('/v1/static-ips-by-region')).body).toEqual(ipv4)
    expect((await api.nobody.get('/v1/static-ipv6s-by-region')).body).toEqual({
      'eu-west-1': ['2001:db8::/56', '2001:db8:1::7/128'],
    })
  })

  it('200: list IPv6 ranges', async () => {
    expect((await api.nobody.get('/v1/static-ipv6s')).body).toEqual(ipv6['eu-west-1'])
  })

  it('200: respond as plain text, one address per line', async () => {
    const { status, headers, text } = await api.nobody.get('/v1/static-ips.txt')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toBe('192.0.2.1\n192.0.2.2\n198.51.100.7\n')
    expect((await api.nobody.get('/v1/static-ipv6s.txt')).text).toBe('2001:db8::/56\n2001:db8:1::7\n')
  })

  it('200: are empty when nothing is configured', async () => {
    expect((await plain.nobody.get('/v1/static-ips')).body).toEqual([])
    expect((await plain.nobody.get('/v1/static-ipv6s-by-region')).body).toEqual({})
    const { status, text } = await plain.nobody.get('/v1/static-ips.txt')
    expect([status, text]).toEqual([200, ''])
  })
})
