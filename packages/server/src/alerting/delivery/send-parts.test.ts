import type { ChannelType } from '@vedette/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { bodyOf, closeListeners, listenHttp } from '../../testing/listeners.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { exampleMessage } from '../message/message.fixture.ts'
import { openChannelClients } from './channel-clients.ts'
import { type Sending, sendParts } from './send-parts.ts'

let clients: ReturnType<typeof openChannelClients>
beforeAll(() => {
  clients = openChannelClients(readConfig({ SLACK_BOT_TOKEN: 'xoxb-very-secret' }))
})
afterEach(closeListeners)
afterAll(() => clients.close())

interface Seen {
  path: string
  body: string
  channel?: string
}

/** A server that answers by `answer`, and what it was asked. */
async function listenFor(answer: (seen: Seen) => { status?: number; body?: string; headers?: object }) {
  const seen: Seen[] = []
  const { url } = await listenHttp(async (request, response) => {
    const body = await bodyOf(request)
    const call: Seen = { path: request.url ?? '', body }
    if (body.startsWith('{')) call.channel = JSON.parse(body).channel
    seen.push(call)
    const { status = 200, body: text = '', headers = {} } = answer(call)
    response.writeHead(status, { ...headers }).end(text)
  })
  return { url, seen }
}

function sending(
  type: ChannelType,
  config: Record<string, unknown>,
  over: Partial<Sending> = {},
  slackApiUrl = '',
): Sending {
  const { settings, senders, renderTemplate } = clients
  const tools = {
    now: 0,
    settings: { ...settings, slackApiUrl },
    variables: {},
    renderTemplate,
    ...over.tools,
  }
  return { type, message: exampleMessage(), config, senders, accepted: new Set<string>(), ...over, tools }
}

const webhook = (url: string, over: Record<string, unknown> = {}) => ({
  url,
  method: 'POST',
  headers: [],
  queryParameters: [],
  ...over,
})

async function errorOf(sent: Promise<unknown>): Promise<DeliveryError> {
  const error = await sent.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(DeliveryError)
  return error as DeliveryError
}

const rooms = { slackChannels: ['#a', '#b', '#c'] }
const ok = { body: '{"ok": true}' }

describe('parts', () => {
  it('are each sent, and each told when it was taken', async () => {
    const { url, seen } = await listenFor(() => ok)
    const taken: string[] = []
    const onAccepted = async (key: string) => taken.push(key)
    const { result } = await sendParts(sending('SLACK_APP', rooms, { onAccepted }, url))
    expect(seen.map(({ path }) => path)).toEqual(Array(3).fill('/chat.postMessage'))
    expect(seen.map(({ channel }) => channel).sort()).toEqual(['#a', '#b', '#c'])
    expect(taken.sort()).toEqual(['#a', '#b', '#c'])
    expect(result).toBe(
      ['#a', '#b', '#c']
        .map((room) => `${room}: The channel responded with status 200 ({"ok": true}).`)
        .join('\n'),
    )
  })

  it('that were taken before are left out', async () => {
    const { url, seen } = await listenFor(() => ok)
    await sendParts(sending('SLACK_APP', rooms, { accepted: new Set(['#a', '#c']) }, url))
    expect(seen.map(({ channel }) => channel)).toEqual(['#b'])
    const { result } = await sendParts(
      sending('SLACK_APP', rooms, { accepted: new Set(['#a', '#b', '#c']) }, url),
    )
    expect(seen).toHaveLength(1)
    expect(result).toBe('The channel accepted the message on an earlier attempt.')
  })

  it('are all tried, and the error that may pass decides', async () => {
    const errors: Record<string, string> = { '#a': 'channel_not_found', '#b': 'ratelimited' }
    const { url, seen } = await listenFor(({ channel = '' }) => {
      const error = errors[channel]
      return error === undefined ? ok : { body: JSON.stringify({ ok: false, error }) }
    })
    const taken: string[] = []
    const onAccepted = (key: string) => taken.push(key)
    const error = await errorOf(sendParts(sending('SLACK_APP', rooms, { onAccepted }, url)))
    expect(seen).toHaveLength(3)
    expect(taken).toEqual(['#c'])
    expect(error).toMatchObject({ permanent: false, rateLimited: true })
    expect(error.message).toBe(
      "#a: Slack refused the message with the error channel_not_found. Correct the Slack channel in the alert channel's settings.\n#b: Slack refused the message with the error ratelimited.",
    )
  })

  it('that nobody can take stay refused', async () => {
    const { url } = await listenFor(() => ({ body: '{"ok": false, "error": "invalid_auth"}' }))
    const error = await errorOf(sendParts(sending('SLACK_APP', rooms, {}, url)))
    expect(error.permanent).toBe(true)
  })

  it('are not begun when there is no time left', async () => {
    const { url, seen } = await listenFor(() => ok)
    const error = await errorOf(sendParts(sending('SLACK_APP', rooms, { signal: AbortSignal.abort() }, url)))
    expect(error.permanent).toBe(false)
    expect(seen).toEqual([])
  })

  it('that were taken count only when that is kept', async () => {
    const { url } = await listenFor(() => ok)
    const onAccepted = async () => {
      throw new Error('the store is away')
    }
    await expect(sendParts(sending('SLACK_APP', rooms, { onAccepted }, url))).rejects.toThrow(
      'the store is away',
    )
  })
})

describe('an answer', () => {
  it.each([
    [204, '', 'The channel responded with status 204.'],
    [202, 'thanks', 'The channel responded with status 202 (thanks).'],
  ])('%d %s is kept as %s', async (status, body, result) => {
    const { url } = await listenFor(() => ({ status, body }))
    expect(await sendParts(sending('WEBHOOK', webhook(url)))).toEqual({ result })
  })

  it('that asks for a pause says so', async () => {
    const { url } = await listenFor(() => ({ status: 429, headers: { 'retry-after': '7' } }))
    const error = await errorOf(sendParts(sending('WEBHOOK', webhook(url))))
    expect(error).toMatchObject({ permanent: false, rateLimited: true, retryAfterMs: 7000 })
  })

  it('gives away no secret of the channel, however it repeats it', async () => {
    const variables = { TOKEN: 'tok-abcdefgh', HOOK: 'hook-abcdefgh' }
    const { url, seen } = await listenFor(({ path }) => ({
      status: path.includes('fail') ? 400 : 200,
      body: `${'.'.repeat(280)} ${path} tok-abcdefgh signed-with-this`,
    }))
    const config = (path: string) =>
      webhook(`${url}/${path}/{{HOOK}}`, {
        headers: [{ key: 'Authorization', value: 'Bearer {{TOKEN}}', locked: true }],
        webhookSecret: 'signed-with-this',
      })
    const { tools } = sending('WEBHOOK', {})
    const over = { tools: { ...tools, variables } }
    const { result } = await sendParts(sending('WEBHOOK', config('good'), over))
    const error = await errorOf(sendParts(sending('WEBHOOK', config('fail'), over)))
    expect(seen.map(({ path }) => path)).toEqual(['/good/hook-abcdefgh', '/fail/hook-abcdefgh'])
    for (const text of [result, error.message]) expect(text).not.toMatch(/hook-|tok-|signed/)
    expect(error.message).toContain('status 400')
    expect(error.permanent).toBe(true)
  })
})

describe('a message that can not be made', () => {
  it.each([
    ['a variable is missing', 'WEBHOOK', webhook('https://{{HOST}}/x'), /HOST/],
    ['a template is wrong', 'WEBHOOK', webhook('http://127.0.0.1:9/', { template: '{{#if}}' }), /template/],
    ['an address is none', 'SLACK', { url: '{{BAD}}' }, /URL/],
    ['no mail server is set up', 'EMAIL', { address: 'a@example.com' }, /SMTP_URL/],
    ['no phone is set up', 'SMS', { number: '+14155550100' }, /TWILIO_FROM/],
  ] as const)('is refused for good: %s', async (_, type, config, message) => {
    const { tools } = sending('WEBHOOK', {})
    const error = await errorOf(
      sendParts(sending(type, config, { tools: { ...tools, variables: { BAD: 'no url' } } })),
    )
    expect(error.permanent).toBe(true)
    expect(error.message).toMatch(message)
  })
})
