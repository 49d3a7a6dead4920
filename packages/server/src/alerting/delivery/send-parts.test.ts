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

/** A server that responds with `respond`, and the requests it received. */
async function listenFor(respond: (seen: Seen) => { status?: number; body?: string; headers?: object }) {
  const seen: Seen[] = []
  const { url } = await listenHttp(async (request, response) => {
    const body = await bodyOf(request)
    const call: Seen = { path: request.url ?? '', body }
    if (body.startsWith('{')) call.channel = JSON.parse(body).channel
    seen.push(call)
    const { status = 200, body: text = '', headers = {} } = respond(call)
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

const slackConfig = { slackChannels: ['#a', '#b', '#c'] }
const ok = { body: '{"ok": true}' }

describe('parts', () => {
  it('are each sent, and each reported when accepted', async () => {
    const { url, seen } = await listenFor(() => ok)
    const accepted: string[] = []
    const onAccepted = async (key: string) => accepted.push(key)
    const { result } = await sendParts(sending('SLACK_APP', slackConfig, { onAccepted }, url))
    expect(seen.map(({ path }) => path)).toEqual(Array(3).fill('/chat.postMessage'))
    expect(seen.map(({ channel }) => channel).sort()).toEqual(['#a', '#b', '#c'])
    expect(accepted.sort()).toEqual(['#a', '#b', '#c'])
    expect(result).toBe(
      ['#a', '#b', '#c']
        .map((channel) => `${channel}: The channel responded with status 200 ({"ok": true}).`)
        .join('\n'),
    )
  })

  it('that were accepted before are left out', async () => {
    const { url, seen } = await listenFor(() => ok)
    await sendParts(sending('SLACK_APP', slackConfig, { accepted: new Set(['#a', '#c']) }, url))
    expect(seen.map(({ channel }) => channel)).toEqual(['#b'])
    const { result } = await sendParts(
      sending('SLACK_APP', slackConfig, { accepted: new Set(['#a', '#b', '#c']) }, url),
    )
    expect(seen).toHaveLength(1)
    expect(result).toBe('The channel accepted the message on an earlier attempt.')
  })

  it('are all attempted, and a transient error decides', async () => {
    const errors: Record<string, string> = { '#a': 'channel_not_found', '#b': 'ratelimited' }
    const { url, seen } = await listenFor(({ channel = '' }) => {
      const error = errors[channel]
      return error === undefined ? ok : { body: JSON.stringify({ ok: false, error }) }
    })
    const accepted: string[] = []
    const onAccepted = (key: string) => accepted.push(key)
    const error = await errorOf(sendParts(sending('SLACK_APP', slackConfig, { onAccepted }, url)))
    expect(seen).toHaveLength(3)
    expect(accepted).toEqual(['#c'])
    expect(error).toMatchObject({ permanent: false, rateLimited: true })
    expect(error.message).toBe(
      "#a: Slack refused the message with the error channel_not_found. Correct the Slack channel in the alert channel's settings.\n#b: Slack refused the message with the error ratelimited.",
    )
  })

  it('that are all refused are a permanent error', async () => {
    const { url } = await listenFor(() => ({ body: '{"ok": false, "error": "invalid_auth"}' }))
    const error = await errorOf(sendParts(sending('SLACK_APP', slackConfig, {}, url)))
    expect(error.permanent).toBe(true)
  })

  it('are not started after an abort', async () => {
    const { url, seen } = await listenFor(() => ok)
    const error = await errorOf(
      sendParts(sending('SLACK_APP', slackConfig, { signal: AbortSignal.abort() }, url)),
    )
    expect(error.permanent).toBe(false)
    expect(seen).toEqual([])
  })

  it('count as accepted only when recorded', async () => {
    const { url } = await listenFor(() => ok)
    const onAccepted = async () => {
      throw new Error('the database is down')
    }
    await expect(sendParts(sending('SLACK_APP', slackConfig, { onAccepted }, url))).rejects.toThrow(
      'the database is down',
    )
  })
})

describe('a response', () => {
  it.each([
    [204, '', 'The channel responded with status 204.'],
    [202, 'thanks', 'The channel responded with status 202 (thanks).'],
  ])('%d %s is recorded as %s', async (status, body, result) => {
    const { url } = await listenFor(() => ({ status, body }))
    expect(await sendParts(sending('WEBHOOK', webhook(url)))).toEqual({ result })
  })

  it('that requests a pause is rate limited', async () => {
    const { url } = await listenFor(() => ({ status: 429, headers: { 'retry-after': '7' } }))
    const error = await errorOf(sendParts(sending('WEBHOOK', webhook(url))))
    expect(error).toMatchObject({ permanent: false, rateLimited: true, retryAfterMs: 7000 })
  })

  it('is masked if it repeats a secret of the channel', async () => {
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

describe('a message that cannot be rendered', () => {
  it.each([
    ['a variable is missing', 'WEBHOOK', webhook('https://{{HOST}}/x'), /HOST/],
    ['a template is wrong', 'WEBHOOK', webhook('http://127.0.0.1:9/', { template: '{{#if}}' }), /template/],
    ['an address is invalid', 'SLACK', { url: '{{BAD}}' }, /URL/],
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
