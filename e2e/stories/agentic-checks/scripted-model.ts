// A server with the chat-completions protocol and tools. It sends prepared turns; when there are
// none left, it refuses, because the agent should not have called the model.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listener, listen } from '../../target/listen.ts'

type ToolCall = readonly [tool: string, args: object]

export class ScriptedModel {
  /** All received bodies. */
  received = ''
  calls = 0
  readonly #key = 'key-of-the-operator'
  #turns: (readonly ToolCall[])[] = []
  #listener: Listener | null = null

  static async open(): Promise<ScriptedModel> {
    const model = new ScriptedModel()
    model.#listener = await listen(() =>
      createServer((request, response) => {
        model.#serve(request, response).catch(() => response.destroy())
      }),
    )
    return model
  }

  get settings(): Record<string, string> {
    const url = `http://127.0.0.1:${this.#listener?.port}/v1`
    return { MODEL_URL: url, MODEL_NAME: 'clerk-1', MODEL_API_KEY: this.#key }
  }

  prepare(...turns: (readonly ToolCall[])[]): void {
    this.#turns = turns
  }

  get isDone(): boolean {
    return this.#turns.length === 0
  }

  async close(): Promise<void> {
    await this.#listener?.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    this.calls += 1
    this.received += body
    const { model, tools } = JSON.parse(body) as { model: string; tools: { function: { name: string } }[] }
    const isAllowed =
      request.method === 'POST' &&
      request.url === '/v1/chat/completions' &&
      request.headers.authorization === `Bearer ${this.#key}` &&
      model === this.settings.MODEL_NAME
    const turn = this.#turns.shift()
    const offered = tools.map(({ function: { name } }) => name)
    if (!isAllowed || turn?.every(([tool]) => offered.includes(tool)) !== true) {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"refused"}}')
      return
    }
    const tool_calls = turn.map(([name, args], index) => ({
      id: `call_${this.calls}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }))
    const message = { role: 'assistant', content: null, tool_calls }
    const completion = { id: 'chat', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
  }
}
