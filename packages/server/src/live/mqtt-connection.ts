// One client that speaks MQTT 3.1.1: CONNECT with a key, SUBSCRIBE to its suites, PINGREQ, DISCONNECT. It can't publish.
// The specification asks a server to close the connection of a client that breaks the protocol, without a response.
import { generate, type Packet, type Parser, parser } from 'mqtt-packet'
import type { SuiteMessage } from '../dispatch/suite-messages.ts'
import { suiteOf, topicOf } from './topics.ts'

/** Why a connection is refused (MQTT 3.1.1, table 3.1). */
export const refusals = { protocol: 1, unavailable: 3, credentials: 4, notAuthorized: 5 } as const

export interface LiveCaller {
  accountId: string
  isStillAllowed(): Promise<boolean>
  /** Frees its share of the limits. */
  leave(): void
}

export interface ConnectionDeps {
  /** A number is one of `refusals`. */
  authenticate(credentials: { accountId: string; key: string }): Promise<LiveCaller | number>
  watch(suite: { accountId: string; suiteId: string }, signal: AbortSignal): AsyncIterable<SuiteMessage[]>
  /** Resolves once the bytes have left this process. */
  write(bytes: Buffer): Promise<void>
  close(): void
  onError(error: unknown): void
}

export interface ConnectionLimits {
  /** Clients send small packets only. */
  maxPacketBytes: number
  maxSubscriptions: number
  /** Until CONNECT. */
  connectMs: number
  /** For clients that send no keepalive, and the longest one. */
  maxSilenceMs: number
  /** A client that reads nothing for this long is cut off. */
  stallMs: number
  recheckMs: number
}

export const defaultLimits: ConnectionLimits = {
  maxPacketBytes: 16 * 1024,
  maxSubscriptions: 10,
  connectMs: 10_000,
  maxSilenceMs: 20 * 60_000,
  stallMs: 30_000,
  recheckMs: 2_000,
}

const maxWaitingPackets = 32
const refusedFilter = 128

export class MqttConnection {
  readonly #deps: ConnectionDeps
  readonly #limits: ConnectionLimits
  readonly #parser: Parser = parser({ protocolVersion: 4 })
  readonly #over = new AbortController()
  readonly #subscriptions = new Map<string, AbortController>()
  #caller: LiveCaller | null = null
  #handled: Promise<void> = Promise.resolve()
  #waiting = 0
  #silence: NodeJS.Timeout
  #recheck: NodeJS.Timeout | undefined

  constructor(deps: ConnectionDeps, limits: ConnectionLimits = defaultLimits) {
    this.#deps = deps
    this.#limits = limits
    this.#silence = setTimeout(() => this.end(), limits.connectMs)
    this.#parser.on('packet', (packet) => this.#enqueue(packet))
    this.#parser.on('error', () => this.end())
  }

  receive(bytes: Buffer): void {
    if (this.#over.signal.aborted) return
    const unparsed = this.#parser.parse(bytes)
    if (unparsed > this.#limits.maxPacketBytes) this.end()
  }

  /** Also called when the socket has closed. */
  end(): void {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    clearTimeout(this.#silence)
    clearInterval(this.#recheck)
    for (const subscription of this.#subscriptions.values()) subscription.abort()
    this.#caller?.leave()
    this.#deps.close()
  }

  /** Packets are handled one after another: SUBSCRIBE may follow CONNECT before the key is looked up. */
  #enqueue(packet: Packet): void {
    this.#waiting += 1
    if (this.#waiting > maxWaitingPackets) {
      this.end()
      return
    }
    this.#handled = this.#handled.then(async () => {
      try {
        if (!this.#over.signal.aborted) await this.#handle(packet)
      } catch (error) {
        this.#deps.onError(error)
        this.end()
      }
      this.#waiting -= 1
    })
  }

  async #handle(packet: Packet): Promise<void> {
    if (packet.cmd === 'connect') {
      if (this.#caller !== null) return this.end()
      return this.#connect(packet)
    }
    const caller = this.#caller
    if (caller === null) return this.end()
    this.#silence.refresh()
    switch (packet.cmd) {
      case 'subscribe': {
        const granted = packet.subscriptions.map(({ topic }) => this.#accept(topic, caller.accountId))
        await this.#write({ cmd: 'suback', messageId: packet.messageId ?? 0, granted })
        for (const { topic } of packet.subscriptions) this.#follow(topic, caller.accountId)
        return
      }
      case 'unsubscribe':
        for (const topic of packet.unsubscriptions) {
          this.#subscriptions.get(topic)?.abort()
          this.#subscriptions.delete(topic)
        }
        return this.#write({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted: [] })
      case 'pingreq':
        return this.#write({ cmd: 'pingresp' })
      default:
        // DISCONNECT, and packets that clients may not send here, such as PUBLISH.
        return this.end()
    }
  }

  async #connect(packet: Extract<Packet, { cmd: 'connect' }>): Promise<void> {
    const { protocolVersion, username = '', password, keepalive = 0 } = packet
    if (protocolVersion !== 4) return this.#refuse(refusals.protocol)
    const key = password?.toString() ?? ''
    const caller = await this.#deps.authenticate({ accountId: username, key })
    if (typeof caller === 'number') return this.#refuse(caller)
    if (this.#over.signal.aborted) return caller.leave()
    this.#caller = caller
    clearTimeout(this.#silence)
    const { maxSilenceMs, recheckMs } = this.#limits
    const silenceMs = keepalive === 0 ? maxSilenceMs : Math.min(keepalive * 1_500, maxSilenceMs)
    this.#silence = setTimeout(() => this.end(), silenceMs)
    this.#recheck = setInterval(() => void this.#check(caller), recheckMs)
    await this.#write({ cmd: 'connack', returnCode: 0, sessionPresent: false })
  }

  async #refuse(returnCode: number): Promise<void> {
    await this.#write({ cmd: 'connack', returnCode, sessionPresent: false })
    this.end()
  }

  /** While the store is down, nothing can be read: a key that was revoked meanwhile receives nothing. */
  async #check(caller: LiveCaller): Promise<void> {
    const isAllowed = await caller.isStillAllowed().catch(() => true)
    if (!isAllowed) this.end()
  }

  /** QoS 0 is granted, whatever was asked for: messages are sent again after each SUBSCRIBE. */
  #accept(filter: string, accountId: string): 0 | typeof refusedFilter {
    if (suiteOf(filter, accountId) === null) return refusedFilter
    const isFull = this.#subscriptions.size >= this.#limits.maxSubscriptions
    if (isFull && !this.#subscriptions.has(filter)) return refusedFilter
    this.#subscriptions.get(filter)?.abort()
    this.#subscriptions.set(filter, new AbortController())
    return 0
  }

  #follow(filter: string, accountId: string): void {
    const suiteId = suiteOf(filter, accountId)
    const subscription = this.#subscriptions.get(filter)
    if (suiteId === null || subscription === undefined || subscription.signal.aborted) return
    const { signal } = subscription
    void this.#pump(filter, this.#deps.watch({ accountId, suiteId }, signal), signal).catch((error) => {
      if (!signal.aborted) this.#deps.onError(error)
      this.end()
    })
  }

  async #pump(filter: string, batches: AsyncIterable<SuiteMessage[]>, signal: AbortSignal): Promise<void> {
    for await (const messages of batches) {
      for (const message of messages) {
        if (signal.aborted) return
        const payload = JSON.stringify(message.payload)
        const topic = topicOf(filter, message)
        await this.#write({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false })
      }
    }
  }

  async #write(packet: Packet): Promise<void> {
    const stalled = setTimeout(() => this.end(), this.#limits.stallMs)
    try {
      await this.#deps.write(generate(packet))
    } finally {
      clearTimeout(stalled)
    }
  }
}
