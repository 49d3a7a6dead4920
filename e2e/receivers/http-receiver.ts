// A tool that takes messages over HTTP, as its makers describe it: what they would refuse is refused, and counted as a
// fault of the sender. It misbehaves on command.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listener, listen } from '../target/listen.ts'

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface Answer {
  status: number
  body: string | object
  headers?: Record<string, string>
}

/** What a call says, and the answer of a tool that takes it; throws a Refusal. */
export type Protocol<Message> = (call: Call) => { message: Message; answer: Answer }

export class Refusal extends Error {
  readonly answer: Answer

  constructor(words: string, answer: Answer) {
    super(words)
    this.answer = answer
  }
}

/** `hold`: the call is read, and nothing ever comes back. */
export type Mood = 'well' | 'hold' | Answer

export class HttpReceiver<Message> {
  /** Taken: the sender was told so. In the order in which they came. */
  readonly messages: Message[] = []
  /** What no sender may send. */
  readonly faults: string[] = []
  /** Calls that came, whatever was answered. */
  calls = 0
  /** Calls that got no answer and never will. */
  readonly held: Call[] = []
  readonly #moods = new Map<string, Mood[]>()
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

  /** For the next calls to a path, one after the other, and the last one stays where there are no more. */
  misbehave(path: string, ...moods: Mood[]): void {
    this.#moods.set(path, moods)
  }

  behave(): void {
    this.#moods.clear()
  }

  /** Nobody listens any more, and the port stays ours to listen on again. */
  async shut(): Promise<void> {
    await this.#listener?.close()
  }

  async reopen(): Promise<void> {
    await this.#listener?.open()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request)
    this.calls += 1
    const moods = this.#moods.get(call.path) ?? []
    const mood = (moods.length > 1 ? moods.shift() : moods[0]) ?? 'well'
    if (mood === 'hold') {
      this.held.push(call)
      return
    }
    if (mood !== 'well') return send(response, mood)
    try {
      const { message, answer } = this.#protocol(call)
      // Taken is what the sender could hear of.
      response.once('finish', () => this.messages.push(message))
      send(response, answer)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(String(error), { status: 500, body: '' })
      this.faults.push(`${call.method} ${call.path}: ${refusal.message}\n${call.body.slice(0, 2000)}`)
      send(response, refusal.answer)
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

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const [type, text] =
    typeof body === 'string' ? ['text/html', body] : ['application/json', JSON.stringify(body)]
  response.writeHead(status, { 'content-type': type, ...headers }).end(text)
}
