// A small MQTT client on a real WebSocket, which shows every packet.
import { generate, type Packet, parser } from 'mqtt-packet'
import { WebSocket } from 'ws'

export interface Message {
  topic: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the message holds
  payload: any
}

export class MqttClient {
  readonly socket: WebSocket
  readonly #packets: Packet[] = []
  #wake = Promise.withResolvers<void>()
  #isClosed = false

  constructor(url: string, { path = '/?authenticationScheme=userApiKey', protocol = 'mqtt' } = {}) {
    this.socket = new WebSocket(url.replace('http', 'ws') + path, protocol)
    const packets = parser({ protocolVersion: 4 })
    packets.on('packet', (packet) => {
      this.#packets.push(packet)
      this.#notify()
    })
    this.socket.on('message', (data: Buffer) => packets.parse(data))
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.#isClosed = true
      this.#notify()
    })
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.OPEN) return this
    await new Promise<void>((resolve, reject) => {
      this.socket.once('open', resolve)
      this.socket.once('error', reject)
    })
    return this
  }

  send(packet: Packet): void {
    this.socket.send(generate(packet))
  }

  /** The next packet; null when the server has closed the connection. */
  async next(): Promise<Packet | null> {
    for (;;) {
      const packet = this.#packets.shift()
      if (packet !== undefined) return packet
      if (this.#isClosed) return null
      await this.#wake.promise
    }
  }

  async nextMessage(): Promise<Message | null> {
    const packet = await this.next()
    if (packet === null) return null
    if (packet.cmd !== 'publish') throw new Error(`expected a message, got ${packet.cmd}`)
    return { topic: packet.topic, payload: JSON.parse(packet.payload.toString()) }
  }

  /** Logs in: the code of the CONNACK. */
  async logIn(accountId: string, key: string, keepalive = 60): Promise<number | undefined> {
    await this.opened()
    this.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: 'test',
      keepalive,
      username: accountId,
      password: Buffer.from(key),
    })
    const answer = await this.next()
    return answer?.cmd === 'connack' ? answer.returnCode : undefined
  }

  /** What the server granted for each filter. */
  async subscribe(...topics: string[]): Promise<readonly unknown[]> {
    this.send({ cmd: 'subscribe', messageId: 7, subscriptions: topics.map((topic) => ({ topic, qos: 0 })) })
    const answer = await this.next()
    return answer?.cmd === 'suback' ? [...answer.granted] : []
  }

  close(): void {
    this.socket.terminate()
  }

  #notify(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}
