import { stat } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Failure } from '@vedette/contracts'
import { afterEach, expect, it, vi } from 'vitest'
import { agentWaits } from '../core/agent-waits.ts'
import { bodyBudget, smallBodyBytes } from './body-budget.ts'
import { closeListeners, listen } from './listeners.fixture.ts'
import type { ReadTurns } from './read-body.ts'
import { type ReadBodyOptions, readBody } from './read-body.ts'

afterEach(closeListeners)

const chunkBytes = 65_536
const bomb = gzipSync(Buffer.alloc(60_000_000))

async function respond(bytes: Buffer, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const port = await listen(createServer((_, response) => response.writeHead(200, headers).end(bytes)))
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject)
  })
}

function read(message: IncomingMessage, over: Partial<ReadBodyOptions> = {}) {
  let time = 0
  const clock = {
    pass: (ms: number) => {
      time += ms
    },
  }
  const waits = agentWaits(() => time)
  const options = {
    method: 'GET',
    maxBodyBytes: 25_000_000,
    keepBytes: 25_000_000,
    budget: null,
    waits,
    ...over,
  }
  const events: string[] = []
  let reader: ReturnType<typeof readBody> | null = null
  const over_ = new Promise<Error | Failure | null>((resolve) => {
    reader = readBody(message, options, {
      received: () => void events.push('received'),
      done: (error) => {
        events.push('done')
        reader?.stop()
        message.destroy()
        resolve(error)
      },
    })
  })
  return { reader: reader as unknown as ReturnType<typeof readBody>, isOver: over_, events, waits, clock }
}

/** Counts turns, and grants them or not. */
function gate({ isOpen }: { isOpen: boolean }) {
  const gates = { asked: 0, waiting: [] as (() => void)[] }
  const turns: ReadTurns = {
    wait(proceed) {
      gates.asked += 1
      if (isOpen) setImmediate(proceed)
      else gates.waiting.push(proceed)
      return { cancel() {}, isBehindOthers: true }
    },
  }
  return { turns, gates }
}

it('stops to inflate a bomb at the limit', async () => {
  const { turns, gates } = gate({ isOpen: true })
  const message = await respond(bomb, { 'content-encoding': 'gzip' })
  const { reader, isOver } = read(message, { turns, maxBodyBytes: 5_000_000 })
  expect(await isOver).toBeNull()
  const { body, bodyBytes, truncated } = reader.result()
  expect([body.length, bodyBytes, truncated]).toEqual([5_000_000, 5_000_000, true])
  // One turn per chunk beyond the small part: as many chunks as the limit has, of the thousand in the bomb.
  expect(gates.asked).toBeLessThanOrEqual(Math.ceil(5_000_000 / chunkBytes))
})

it('stops much earlier where nothing of it is needed', async () => {
  const { turns, gates } = gate({ isOpen: true })
  const message = await respond(bomb, { 'content-encoding': 'gzip' })
  const { reader, isOver } = read(message, { turns, keepBytes: smallBodyBytes })
  expect(await isOver).toBeNull()
  const { body, bodyBytes, truncated } = reader.result()
  expect([body.length, truncated]).toEqual([smallBodyBytes, true])
  expect(bodyBytes).toBeLessThan(10_000_000)
  expect(gates.asked).toBeLessThan(10_000_000 / chunkBytes)
})

it.each([
  ['', {}],
  ['gzip', { 'content-encoding': 'gzip' }],
])('puts a large body together again (%s)', async (encoding, headers) => {
  const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, at) => `${at * 7_919}\n`).join(''))
  const message = await respond(encoding === '' ? bytes : gzipSync(bytes), headers)
  const { reader, isOver } = read(message, { budget: bodyBudget(256_000_000).open('a') })
  expect(await isOver).toBeNull()
  expect(reader.result().body.equals(bytes)).toBe(true)
})

it('holds no thread and inflates nothing while it waits for its turn', async () => {
  const { turns, gates } = gate({ isOpen: false })
  const messages = await Promise.all(
    Array.from({ length: 8 }, () => respond(bomb, { 'content-encoding': 'gzip' })),
  )
  const readers = messages.map((message) => read(message, { turns }).reader)
  await expect.poll(() => gates.waiting).toHaveLength(8)
  // Twice as many as the thread pool has threads: each of them would be needed here.
  await Promise.all(Array.from({ length: 8 }, () => stat(import.meta.filename)))
  for (const reader of readers) {
    reader.stop()
    expect(reader.result().bodyBytes).toBeLessThanOrEqual(smallBodyBytes + chunkBytes)
  }
  expect(gates.asked).toBe(8)
})

it('reads a small body without waiting for anything', async () => {
  const { turns, gates } = gate({ isOpen: false })
  const text = Buffer.alloc(smallBodyBytes, 'x')
  for (const [bytes, headers] of [
    [text, {}],
    [gzipSync(text), { 'content-encoding': 'gzip' }],
  ] as const) {
    const budget = { reserve: () => expect.unreachable('memory was asked for') }
    const { reader, isOver } = read(await respond(bytes, headers), { turns, budget })
    expect(await isOver).toBeNull()
    expect(reader.result().body.equals(text)).toBe(true)
  }
  expect(gates.asked).toBe(0)
})

it('counts what it waits behind others, and the decoding after the last byte', async () => {
  const { turns, gates } = gate({ isOpen: false })
  const { events, waits, clock, isOver } = read(await respond(bomb, { 'content-encoding': 'gzip' }), {
    turns,
    maxBodyBytes: 1_000_000,
    keepBytes: 10,
  })
  let isEnded = false
  isOver.then(() => {
    isEnded = true
  })
  let turnsTaken = 0
  while (!isEnded) {
    await expect.poll(() => isEnded || gates.waiting.length > 0).toBe(true)
    clock.pass(1_000)
    for (const proceed of gates.waiting.splice(0)) {
      turnsTaken += 1
      proceed()
    }
  }
  expect(turnsTaken).toBeGreaterThan(5)
  expect(waits.totalMs).toBeGreaterThanOrEqual(turnsTaken * 1_000)
  expect(events.at(-1)).toBe('done')
})

it('keeps what is needed and counts the rest', async () => {
  const { reader, isOver } = read(await respond(Buffer.alloc(2_000_000, 'x')), { keepBytes: 1_000 })
  expect(await isOver).toBeNull()
  const { body, bodyBytes, truncated } = reader.result()
  expect([body.length, bodyBytes, truncated]).toEqual([1_000, 2_000_000, false])
})

it('fails with an internal error after a long wait for memory', async () => {
  const reserve = () => ({ bytes: 0, wait: new Promise<void>(() => {}) })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { isOver } = read(await respond(Buffer.alloc(1_000_000, 'x')), { budget: { reserve } })
    const looking = setInterval(() => vi.advanceTimersByTime(60_000), 5)
    expect(await isOver).toMatchObject({ kind: 'internal', code: 'NO_BODY_MEMORY' })
    clearInterval(looking)
  } finally {
    vi.useRealTimers()
  }
})
