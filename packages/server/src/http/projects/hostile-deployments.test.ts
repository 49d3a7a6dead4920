// Bodies that are meant to harm the server: refused with a clear error, and nothing is left behind.
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { urlCheck } from '../../testing/sample-project.ts'

const limitBytes = 1024 * 1024
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ DEPLOY_BODY_LIMIT_BYTES: String(limitBytes) })
})
afterAll(() => api.close())

const project = { project: { logicalId: 'hostile', name: 'Hostile' }, resources: [urlCheck('home')] }

async function send(body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}/v1/projects/deploy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.alice.key}`, 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: response.status, text: await response.text() }
}

const gzipped = { 'content-encoding': 'gzip' }
const bytes = (text: string) => new Uint8Array(gzipSync(text))

describe('a hostile deployment', () => {
  it('413: a gzip bomb', async () => {
    const bomb = bytes(
      JSON.stringify({ ...project, sharedFiles: [{ path: 'x', content: 'x'.repeat(50_000_000) }] }),
    )
    expect(bomb.length).toBeLessThan(100_000)
    const { status, text } = await send(bomb, gzipped)
    expect(status).toBe(413)
    expect(text).toContain('1,048,576 bytes')
  })

  it('400: bytes that are no gzip, no JSON, or half of it', async () => {
    expect(await send(new TextEncoder().encode('not gzip'), gzipped)).toMatchObject({ status: 400 })
    const whole = bytes(JSON.stringify(project))
    expect(await send(whole.slice(0, whole.length / 2), gzipped)).toMatchObject({ status: 400 })
    expect(await send(bytes('{"project":'), gzipped)).toMatchObject({ status: 400 })
    expect(
      await send(bytes('{"project":{"logicalId":"../..","name":"x"},"resources":[]}'), gzipped),
    ).toMatchObject({
      status: 202,
    })
    expect(
      await send(bytes('{"project":{"logicalId":"a b","name":"x"},"resources":[]}'), gzipped),
    ).toMatchObject({
      status: 400,
    })
  })

  it('413: a gigabyte, announced or not', async () => {
    const gigabyte = 1024 ** 3
    const start = (headers: Record<string, string>): Promise<number> =>
      new Promise<number>((resolve, reject) => {
        const sent = request(
          `${api.url}/v1/projects/deploy`,
          {
            method: 'POST',
            headers: {
              authorization: `Bearer ${api.alice.key}`,
              'content-type': 'application/json',
              ...headers,
            },
          },
          (response) => {
            resolve(response.statusCode ?? 0)
            sent.destroy()
          },
        )
        let left = gigabyte
        const chunk = Buffer.alloc(64 * 1024, ' ')
        const pump = () => {
          while (left > 0 && !sent.destroyed) {
            left -= chunk.length
            if (!sent.write(chunk)) return void sent.once('drain', pump)
          }
        }
        sent.once('error', reject)
        sent.once('error', () => undefined)
        pump()
      })
    expect(await start({ 'content-length': String(gigabyte) })).toBe(413)
    expect(await start({ 'transfer-encoding': 'chunked' })).toBe(413)
  })

  it('leaves nothing behind', async () => {
    expect((await api.alice.get('/next/projects/hostile')).status).toBe(404)
    expect((await api.alice.get('/v1/checks')).body).toEqual([])
  })
})
