// A TCP port whose behavior can change while it is open.
import { createServer, type Socket } from 'node:net'
import { type Listener, listen, wait } from './listen.ts'

export interface Manner {
  /** echo: sends back what it receives. banner: sends a greeting first. silent: accepts, and never sends anything. */
  way: 'echo' | 'banner' | 'silent' | 'hang-up' | 'reset'
  text?: string
  delayMs?: number
}

export class TcpPort {
  manner: Manner = { way: 'echo' }
  readonly #listener: Listener

  private constructor(listener: Listener) {
    this.#listener = listener
  }

  static async open(): Promise<TcpPort> {
    let port: TcpPort | null = null
    port = new TcpPort(await listen(() => createServer((socket) => port?.meet(socket))))
    return port
  }

  get port(): number {
    return this.#listener.port
  }

  shut = () => this.#listener.close()
  reopen = () => this.#listener.open()

  async meet(socket: Socket): Promise<void> {
    const { way, text = '', delayMs } = this.manner
    if (way === 'banner') {
      await wait(delayMs)
      socket.write(text)
    }
    socket.on('data', async (data) => {
      await wait(delayMs)
      if (way === 'echo') socket.write(data)
      if (way === 'hang-up') socket.end()
      if (way === 'reset') socket.resetAndDestroy()
    })
  }
}
