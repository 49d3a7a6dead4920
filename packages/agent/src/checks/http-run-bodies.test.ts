import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyBudget } from '../net/body-budget.ts'
import { closeListeners, runContext } from '../net/listeners.fixture.ts'
import { serve, settings } from './http.fixture.ts'
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

  it('that can not be decoded fail the run', async () => {
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

  it.each([
    ['endless', undefined],
    ['a bomb', 'gzip'],
  ])('that are %s are read up to 25 MB, and stored up to 256 kB', async (_, encoding) => {
    const block = Buffer.alloc(1_000_000, 'x')
    const bomb = gzipSync(Buffer.alloc(60_000_000, 'x'))
    const url = await serve((_, response) => {
      if (encoding) return response.setHeader('content-encoding', encoding).end(bomb)
      const pump = () => {
        while (response.writable && response.write(block));
      }
      response.on('drain', pump).on('error', () => {})
      pump()
    })
    const { failure, detail, subjects } = await runHttp(settings({ url }), runContext())
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ truncated: true, status: 200 })
    expect(detail.response?.body.length).toBe(256_000)
    expect(subjects.TEXT_BODY).toMatchObject({
      value: expect.toSatisfy((value) => value.length === 25_000_000),
    })
  })

  it('wait for room when others fill the memory there is', async () => {
    const budget = bodyBudget(1000)
    const other = budget.open()
    other.take(990)
    const own = budget.open()
    let asked = false
    const share = {
      take(bytes: number) {
        asked = true
        const wait = own.take(bytes)
        queueMicrotask(() => other.release())
        return wait
      },
    }
    const url = await serve((_, response) => response.end('x'.repeat(500)))
    const { detail } = await runHttp(settings({ url }), runContext({ bodyBudget: share }))
    expect(asked).toBe(true)
    expect(detail.response?.body.length).toBe(500)
    expect(budget.usedBytes).toBe(500)
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
