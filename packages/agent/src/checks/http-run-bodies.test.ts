import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyBudget } from '../net/body-budget.ts'
import { closeListeners, runContext, serve } from '../net/listeners.fixture.ts'
import { settings } from './http.fixture.ts'
import { runHttp } from './http-run.ts'

afterEach(closeListeners)

describe('bodies', () => {
  const text = 'content '.repeat(2000)

  it.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
  ])('are decoded from %s', async (encoding, bytes) => {
    const url = await serve((_, response) => {
      response.setHeader('content-encoding', encoding)
      response.write(bytes.subarray(0, 5))
      response.end(bytes.subarray(5))
    })
    const { failure, subjects } = await runHttp(settings({ url }), runContext())
    expect(failure).toBeNull()
    expect(subjects.TEXT_BODY).toEqual({ kind: 'text', value: text })
  })

  it('that are empty need no decoding', async () => {
    const url = await serve((_, response) => response.setHeader('content-encoding', 'gzip').end())
    expect((await runHttp(settings({ url }), runContext())).failure).toBeNull()
  })

  it('that cannot be decoded fail the run', async () => {
    const url = await serve((_, response) => response.setHeader('content-encoding', 'gzip').end('no gzip'))
    const { failure, detail } = await runHttp(settings({ url }), runContext())
    expect(failure).toMatchObject({ kind: 'body', phase: 'receive', code: 'Z_DATA_ERROR' })
    expect(detail.response?.status).toBe(200)
  })

  it('in chunks are put together', async () => {
    const url = await serve((_, response) => {
      for (const part of ['one ', 'two ', 'three']) response.write(part)
      response.end()
    })
    const { detail } = await runHttp(settings({ url }), runContext())
    expect(detail.response?.headers['transfer-encoding']).toBe('chunked')
    expect(detail.response?.body).toBe('one two three')
  })

  const endless = async (encoding?: string) => {
    const block = Buffer.alloc(1_000_000, 'x')
    const bomb = gzipSync(Buffer.alloc(60_000_000, 'x'))
    return serve((_, response) => {
      if (encoding) return response.setHeader('content-encoding', encoding).end(bomb)
      const pump = () => {
        while (response.writable && response.write(block));
      }
      response.on('drain', pump).on('error', () => {})
      pump()
    })
  }
  const assertions = [{ source: 'TEXT_BODY' }]

  it.each([
    ['endless', undefined],
    ['a bomb', 'gzip'],
  ])('that are %s are read up to 25 MB, and stored up to 256 kB', async (_, encoding) => {
    const url = await endless(encoding)
    const { failure, detail, subjects } = await runHttp(settings({ url, assertions }), runContext())
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ truncated: true, status: 200 })
    expect(detail.response?.body.length).toBe(256_000)
    expect(subjects.TEXT_BODY).toMatchObject({
      kind: 'undecoded',
      bytes: expect.toSatisfy((bytes) => bytes.length === 25_000_000),
    })
  })

  it.each([
    ['endless', undefined],
    ['a bomb', 'gzip'],
  ])('that are %s need no memory beyond what is shown, where nothing is asserted', async (_, encoding) => {
    const url = await endless(encoding)
    const reserve = () => {
      throw new Error('memory was asked for')
    }
    const { failure, detail } = await runHttp(settings({ url }), runContext({ bodyBudget: { reserve } }))
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ truncated: true, body: 'x'.repeat(256_000) })
  })

  it('that are small are read while others hold all the memory there is', async () => {
    const memory = bodyBudget(1_000_000)
    const large = { url: await endless(), assertions }
    const others = [memory.open('other'), memory.open('other')]
    others[0]?.reserve(4_000_000, 4_000_000)
    others[1]?.reserve(25_000_000, 25_000_000)
    const waiting = memory.open('own')
    const held = runHttp(settings(large), runContext({ bodyBudget: waiting }))
    const page = 'content '.repeat(25_000)
    const url = await serve((_, response) => response.end(page))
    const { detail } = await runHttp(
      settings({ url, assertions }),
      runContext({ bodyBudget: memory.open('own') }),
    )
    expect(detail.response?.body).toBe(page)
    expect(detail.breakdown.agentWait).toBeNull()
    for (const other of others) other.release()
    expect((await held).failure).toBeNull()
  })

  it('that waited for memory do not charge their target for it', async () => {
    let time = 0
    const body = 'x'.repeat(1_000_000)
    const url = await serve((_, response) => response.end(body))
    let reserved: number[] = []
    const reserve = (bytes: number, mostBytes: number) => {
      reserved = [bytes, mostBytes]
      const wait = new Promise<void>((resolve) =>
        setImmediate(() => {
          time += 3_600_000
          resolve()
        }),
      )
      return { bytes: mostBytes, wait }
    }
    const clock = { now: () => time, monotonic: () => time }
    const observation = await runHttp(
      settings({ url, assertions }),
      runContext({ clock, bodyBudget: { reserve } }),
    )
    expect(observation.failure).toBeNull()
    expect(reserved[1]).toBe(body.length)
    expect(observation).toMatchObject({ responseTimeMs: 0 })
    expect(observation.detail.response?.timingPhases).toMatchObject({ download: 0, total: 0 })
    expect(observation.detail.breakdown).toMatchObject({ receive: 0, agentWait: 3_600_000 })
    expect(observation.subjects.RESPONSE_TIME).toEqual({ kind: 'number', value: 0 })
  })

  it('that are binary are replaced by a note, unless asserted on', async () => {
    const url = await serve((_, response) =>
      response.setHeader('content-type', 'application/pdf').end('%PDF'),
    )
    const plain = await runHttp(settings({ url }), runContext())
    expect(plain.detail.response?.body).toBe('[application/pdf, 4 bytes: not kept]')
    expect(plain.subjects).not.toHaveProperty('TEXT_BODY')
    const asserted = await runHttp(settings({ url, assertions: [{ source: 'TEXT_BODY' }] }), runContext())
    expect(asserted.detail.response?.body).toBe('%PDF')
    expect(asserted.subjects.TEXT_BODY).toEqual({ kind: 'text', value: '%PDF' })
  })
})
