// A server with the chat completions of OpenAI's API. It sends prepared responses, or else an error that it is busy.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listener, listen } from '../../target/listen.ts'

interface Given {
  classification: string
  findings: { rootCause: string; userImpact: string; codeFix: string | null }
  evidence: { number: number; description: string }[]
  userContext: string
}

export class ModelServer {
  readonly name = 'baker-1'
  /** All received headers and bodies. */
  received = ''
  /** Requests that the real API would refuse. */
  readonly faults: string[] = []
  readonly #key = 'key-of-the-operator'
  readonly #given: Given[] = []
  readonly #responses = new Map<string, object>()
  #listener: Listener | null = null

  async open(): Promise<void> {
    this.#listener = await listen(() =>
      createServer((request, response) => {
        this.#serve(request, response).catch((error) => {
          this.faults.push(String(error))
          response.writeHead(400).end()
        })
      }),
    )
  }

  async close(): Promise<void> {
    await this.#listener?.close()
  }

  get host(): string {
    return `127.0.0.1:${this.#listener?.port}`
  }

  /** For the installation. */
  get settings(): Record<string, string> {
    return { MODEL_URL: `http://${this.host}/v1`, MODEL_NAME: this.name, MODEL_API_KEY: this.#key }
  }

  /** The response to requests that contain these words. */
  prepare(words: string, content: object): void {
    this.#responses.set(words, content)
  }

  given(words: string): Given[] {
    return this.#given.filter(({ userContext }) => userContext.startsWith(words))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    this.received += `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}\n`
    const { model, messages, response_format } = JSON.parse(body)
    demand(request.method === 'POST' && request.url === '/v1/chat/completions', 'there is no such path')
    demand(request.headers.authorization === `Bearer ${this.#key}`, 'the key is wrong')
    demand(model === this.name, 'there is no such model')
    demand(response_format.type === 'json_object', 'JSON was wanted')
    const [system, user] = messages
    demand(messages.length === 2 && system.role === 'system' && user.role === 'user', 'the roles are wrong')
    // As the real API: the prompt must mention JSON if the response should be JSON.
    demand(system.content.includes('JSON'), 'messages must contain the word JSON')
    const given: Given = JSON.parse(user.content)
    this.#given.push(given)
    const content = [...this.#responses].find(([words]) => given.userContext.startsWith(words))?.[1]
    if (content === undefined) {
      response.writeHead(503).end()
      return
    }
    const message = { role: 'assistant', content: JSON.stringify(content) }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', model, choices }))
  }
}

function demand(isSo: boolean, fault: string): void {
  if (!isSo) throw new Error(fault)
}
