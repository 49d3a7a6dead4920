import { generate, type Packet, parser } from 'mqtt-packet'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SuiteMessage } from '../dispatch/suite-messages.ts'
import { type ConnectionDeps, defaultLimits, type LiveCaller, MqttConnection } from './mqtt-connection.ts'

const accountId = '00000000-0000-4000-8000-00000000000a'
const suiteId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const filter = (index: number) => `account/${accountId}/ad-hoc-check-results/${suiteId(index)}/+/+/+`

const message: SuiteMessage = { sequenceId: 'a', checkRunId: 'b', subtopic: 'run-start', payload: {} }

/** A connection without a socket. `answers`: what it has sent. */
function open(given: Partial<ConnectionDeps> = {}) {
  const answers: Packet[] = []
  const sent = parser({ protocolVersion: 4 })
  sent.on('packet', (packet) => answers.push(packet))
  const caller = {
    accountId,
    isStillAllowed: vi.fn(async () => true),
    leave: vi.fn(() => undefined),
  } satisfies LiveCaller
  const close = vi.fn(() => undefined)
  const connection = new MqttConnection({
    authenticate: async () => caller,
    async *watch() {
      yield []
    },
    write: async (bytes) => void sent.parse(bytes),
    close,
    onError: (error) => {
      throw error
    },
    ...given,
  })
  const send = async (...packets: Packet[]) => {
    for (const packet of packets) connection.receive(generate(packet))
    await vi.advanceTimersByTimeAsync(0)
  }
  const logIn = (keepalive = 60) =>
    send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'x', clean: true, keepalive })
  return { connection, answers, caller, close, send, logIn }
}

const subscribe = (...topics: string[]): Packet => ({
  cmd: 'subscribe',
  messageId: 1,
  subscriptions: topics.map((topic) => ({ topic, qos: 0 })),
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a connection', () => {
  it('closes without CONNECT in time', async () => {
    const { close } = open()
    await vi.advanceTimersByTimeAsync(defaultLimits.connectMs)
    expect(close).toHaveBeenCalledOnce()
  })

  it('closes after one and a half keepalives without a packet', async () => {
    const { close, logIn, send, caller } = open()
    await logIn(60)
    await vi.advanceTimersByTimeAsync(80_000)
    await send({ cmd: 'pingreq' })
    await vi.advanceTimersByTimeAsync(80_000)
    expect(close).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(close).toHaveBeenCalledOnce()
    expect(caller.leave).toHaveBeenCalledOnce()
  })

  it('closes in the end also for a client without keepalive', async () => {
    const { close, logIn } = open()
    await logIn(0)
    await vi.advanceTimersByTimeAsync(defaultLimits.maxSilenceMs - 1)
    expect(close).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(close).toHaveBeenCalledOnce()
  })

  it('handles SUBSCRIBE after CONNECT, also while the key is looked up', async () => {
    const found = Promise.withResolvers<LiveCaller>()
    const { answers, logIn, send, caller } = open({ authenticate: () => found.promise })
    await logIn()
    await send(subscribe(filter(1)))
    expect(answers).toEqual([])
    found.resolve(caller)
    await vi.advanceTimersByTimeAsync(0)
    expect(answers.map(({ cmd }) => cmd)).toEqual(['connack', 'suback'])
  })

  it('closes for a client that floods it while the key is looked up', async () => {
    const { close, logIn, send } = open({ authenticate: () => new Promise(() => undefined) })
    await logIn()
    await send(...Array.from({ length: 32 }, (): Packet => ({ cmd: 'pingreq' })))
    expect(close).toHaveBeenCalledOnce()
  })

  it('refuses more subscriptions than its limit, and replaces one that is repeated', async () => {
    const signals: AbortSignal[] = []
    const { answers, logIn, send } = open({
      async *watch(_suite, signal) {
        signals.push(signal)
        yield []
      },
    })
    await logIn()
    const ten = Array.from({ length: 10 }, (_, index) => filter(index))
    await send(subscribe(...ten, filter(10)), subscribe(filter(0)))
    expect(answers.slice(1)).toMatchObject([{ granted: [...ten.map(() => 0), 128] }, { granted: [0] }])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, ...Array(10).fill(false)])
    await send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [filter(1)] })
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(2)
  })

  it('reads nothing ahead for a client that does not read, and cuts it off', async () => {
    let batches = 0
    const isStuck = { value: false }
    const { close, logIn, send } = open({
      async *watch() {
        for (;;) {
          batches += 1
          yield [message]
        }
      },
      write: () => (isStuck.value ? new Promise(() => undefined) : Promise.resolve()),
    })
    await logIn()
    isStuck.value = true
    await send(subscribe(filter(1)))
    expect(batches).toBe(0)
    isStuck.value = false
    const other = open({
      async *watch() {
        for (;;) {
          batches += 1
          yield [message]
        }
      },
      write: (bytes) => (bytes[0] === 0x30 ? new Promise(() => undefined) : Promise.resolve()),
    })
    await other.logIn()
    await other.send(subscribe(filter(1)))
    expect(batches).toBe(1)
    await vi.advanceTimersByTimeAsync(defaultLimits.stallMs)
    expect(batches).toBe(1)
    expect(close).toHaveBeenCalledOnce()
    expect(other.close).toHaveBeenCalledOnce()
  })

  it('ends with the access of its key, but not because the store is down', async () => {
    const { close, logIn, caller } = open()
    await logIn()
    caller.isStillAllowed.mockRejectedValue(new Error('the store is down'))
    await vi.advanceTimersByTimeAsync(defaultLimits.recheckMs)
    expect(close).not.toHaveBeenCalled()
    caller.isStillAllowed.mockResolvedValue(false)
    await vi.advanceTimersByTimeAsync(defaultLimits.recheckMs)
    expect(close).toHaveBeenCalledOnce()
  })

  it('frees its share of the limits when it closed during the log-in', async () => {
    const found = Promise.withResolvers<LiveCaller>()
    const { connection, logIn, caller } = open({ authenticate: () => found.promise })
    await logIn()
    connection.end()
    found.resolve(caller)
    await vi.advanceTimersByTimeAsync(0)
    expect(caller.leave).toHaveBeenCalledOnce()
  })
})
