import { afterEach, beforeEach, expect, it } from 'vitest'
import { codeContext, type ScriptedModel, startModel } from './agentic.fixture.ts'
import { askModel } from './model.ts'
import { modelTools } from './tools.ts'

let model: ScriptedModel
beforeEach(async () => {
  model = await startModel()
})
afterEach(() => model.close())

const messages = [{ role: 'user', content: 'Open the shop' }] as const
const ask = (settings = model.settings, context = codeContext()) =>
  askModel(settings, { messages, tools: modelTools }, context)

it('follows the protocol: model, messages, tools as JSON schemas, the key in the header', async () => {
  model.turns = [[['navigate', { url: 'http://a/' }]]]
  const reply = await ask()
  expect(reply.toolCalls).toMatchObject([
    { type: 'function', function: { name: 'navigate', arguments: '{"url":"http://a/"}' } },
  ])
  const [{ headers, body }] = model.requests as [(typeof model.requests)[number]]
  expect(headers.authorization).toBe('Bearer sk-model-key')
  expect(body).toMatchObject({ model: 'test-model', messages, tool_choice: 'auto' })
  expect(body.tools.map((tool) => tool.function.name)).toEqual([
    'navigate',
    'click',
    'fill',
    'select',
    'check',
    'press',
    'wait_for',
    'screenshot',
    'assert',
    'read',
    'suggest',
    'done',
  ])
  expect(body.tools[0]).toMatchObject({
    type: 'function',
    function: { parameters: { type: 'object', required: ['intent', 'url'] } },
  })
})

it('retries when the endpoint is overloaded', async () => {
  model.turns = [{ status: 503, body: 'busy' }, 'Here I am']
  expect(await ask()).toEqual({ content: 'Here I am', toolCalls: [] })
  expect(model.requests).toHaveLength(2)
})

it('reports the response of the endpoint, and never its key', async () => {
  model.turns = [{ status: 401, body: '{"error":"sk-model-key is no key of ours"}' }]
  await expect(ask()).rejects.toThrow(
    /^the model at MODEL_URL responded with 401: \{"error":"\*{9} is no key of ours"\}$/,
  )
})

it.each([
  ['no JSON', 'x'],
  ['no choice', '{"choices":[]}'],
  ['nothing of ours', '[]'],
])('a response with %s is reported', async (_name, body) => {
  model.turns = [{ status: 200, body }]
  await expect(ask()).rejects.toThrow("something that isn't a chat completion")
})

it('reports an unreachable endpoint, and never connects to a metadata address', async () => {
  await model.close()
  await expect(ask()).rejects.toThrow(/MODEL_URL can't be reached: The connection to \S+ was refused\./)
  const metadata = { ...model.settings, url: 'http://169.254.169.254/v1' }
  await expect(ask(metadata)).rejects.toThrow(/link-local address, and this agent doesn't connect to it/)
  model = await startModel()
})

it('stops when the run is canceled', async () => {
  const controller = new AbortController()
  model.turns = [
    () => {
      controller.abort(new Error('cancelled'))
      return { status: 500, body: '' }
    },
  ]
  await expect(ask(model.settings, codeContext(controller.signal))).rejects.toThrow('cancelled')
})
