// A tool that receives messages over HTTP: it refuses what its documentation forbids, and counts that as a
// fault of the sender. Stories can make it misbehave.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listener, listen } from '../target/listen.ts'

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface Reply {
  status: number
  body: string | object
  headers?: Record<string, string>
}

/** Parses a call into its message and the response of the tool; throws a Refusal. */
export type Protocol<Message> = (call: Call) => { message: Message; reply: Reply }

export class Refusal extends Error {
  readonly reply: Reply

  constructor(words: string, reply: Reply) {
    super(words)
    this.reply = reply
  }
}

/** `hold`: the call is read, and no response comes. */
export type Behavior = 'well' | 'hold' | Reply

export class HttpReceiver<Message> {
  /** Accepted, and acknowledged to the sender, in the order of arrival. */
  readonly messages: Message[] = []
  /** Calls that no sender may make. */
  readonly faults: string[] = []
  /** All received calls, whatever the response was. */
  calls = 0
  /** Calls that never get a response. */
  readonly held: Call[] = []
  readonly #behaviors = new Map<string, Behavior[]>()
  readonly #protocol: Protocol<Message>
  #listener: Listener | null = null

  private constructor(protocol: Protocol<Message>) {
    this.#protocol = protocol
  }

  static async open<Message>(protocol: Protocol<Message>): Promise<HttpReceiver<Message>> {
    const receiver = new HttpReceiver(protocol)
    receiver.#listener = await listen(() =>
      createServer((request, response) => {
        receiver.#serve(request, response).catch(() => response.destroy())
      }),
    )
    return receiver
  }

  url(path = ''): string {
    return `http://127.0.0.1:${this.#listener?.port}${path}`
  }

  /** The behavior for the next calls to a path, one each; the last one stays. */
  misbehave(path: string, ...behaviors: Behavior[]): void {
    this.#behaviors.set(path, behaviors)
  }

  behave(): void {
    this.#behaviors.clear()
  }

  /** Stops listening. The port stays reserved, so that it can listen again. */
  async shut(): Promise<void> {
    await this.#listener?.close()
  }

  async reopen(): Promise<void> {
    await this.#listener?.open()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request)
    this.calls += 1
    const behaviors = this.#behaviors.get(call.path) ?? []
    const behavior = (behaviors.length > 1 ? behaviors.shift() : behaviors[0]) ?? 'well'
    if (behavior === 'hold') {
      this.held.push(call)
      return
    }
    if (behavior !== 'well') return send(response, behavior)
    try {
      const { message, reply } = this.#protocol(call)
      // Accepted only if the sender could get the response.
      response.once('finish', () => this.messages.push(message))
      send(response, reply)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(String(error), { status: 500, body: '' })
      this.faults.push(`${call.method} ${call.path}: ${refusal.message}\n${call.body.slice(0, 2000)}`)
      send(response, refusal.reply)
    }
  }
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const url = new URL(request.url ?? '/', 'http://receiver')
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  const [type, text] =
    typeof body === 'string' ? ['text/html', body] : ['application/json', JSON.stringify(body)]
  response.writeHead(status, { 'content-type': type, ...headers }).end(text)
}
