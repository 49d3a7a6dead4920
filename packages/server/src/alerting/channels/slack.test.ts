import { describe, expect, it } from 'vitest'
import { exampleMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import type { ChannelTools } from './channel.ts'
import { slackChannel } from './slack.ts'
import { slackAppChannel } from './slack-app.ts'
import type { HttpCall, HttpResponse } from './transport/http.ts'

const response = (body: unknown, status = 200): HttpResponse => ({
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

async function webhookBody(message: AlertMessage, channel?: string | null) {
  const config = { url: 'https://hooks.test/T0/B0/x', ...(channel !== undefined && { channel }) }
  const [part] = await slackChannel.render(message, config, exampleTools())
  const { url, body } = (part as { http: HttpCall }).http
  expect(url).toBe('https://hooks.test/T0/B0/x')
  return JSON.parse(body as string)
}

async function appCalls(over: Partial<ChannelTools> = {}): Promise<HttpCall[]> {
  const config = { slackChannels: ['#ops', '@dana', '#ops'] }
  const parts = await slackAppChannel.render(exampleMessage(), config, exampleTools(over))
  expect(parts.map(({ key }) => key)).toEqual(['#ops', '@dana'])
  return parts.map((part) => (part as { http: HttpCall }).http)
}

describe('SLACK', () => {
  it('renders blocks in a colored attachment', async () => {
    const body = await webhookBody(exampleMessage())
    expect(body.text).toBe('*Check "Shop" has failed*')
    expect(body).not.toHaveProperty('channel')
    const [{ color, blocks }] = body.attachments
    expect(color).toBe('#d92d20')
    expect(blocks[0].text.text).toBe('It has been failing from Ireland for 12 minutes: expected 200, got 503')
    expect(blocks[1].fields.map(({ text }: { text: string }) => text)).toContain('*Location*\nIreland')
    expect(blocks[1].fields.length).toBeLessThanOrEqual(10)
    expect(blocks[2].text.text).toBe('<https://vedette.test/checks/1/results/2?a=1&amp;b=2|Open the result>')
  })

  it('is sent to the configured Slack channel, in green for a recovery', async () => {
    const body = await webhookBody(exampleMessage({ kind: 'recovery', alertType: 'ALERT_RECOVERY' }), '#web')
    expect(body.channel).toBe('#web')
    expect(body.attachments[0].color).toBe('#079455')
  })

  it('contains no mention and respects the limits for any error', async () => {
    const error = `<!channel> <@U1>\n${'```<&>'.repeat(3000)}`
    const body = await webhookBody(exampleMessage({ checkName: '<!here>', error }))
    expect(JSON.stringify(body)).not.toMatch(/<[!@]/)
    const texts = body.attachments[0].blocks.flatMap(
      (block: { text?: { text: string } }) => block.text?.text ?? [],
    )
    expect(texts).toHaveLength(3)
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(3000)
    expect(texts[1].match(/```/g)).toHaveLength(2)
  })
})

describe('SLACK_APP', () => {
  it('posts to every Slack channel and person with the token of the operator', async () => {
    const calls = await appCalls()
    expect(calls.map(({ body }) => JSON.parse(body as string).channel)).toEqual(['#ops', '@dana'])
    expect(calls[0]).toMatchObject({
      method: 'POST',
      url: 'https://slack.test/api/chat.postMessage',
      headers: {
        authorization: 'Bearer xoxb-of-the-operator',
        'content-type': 'application/json; charset=utf-8',
      },
    })
  })

  it("prefers the account's own token, and names the missing one", async () => {
    const [call] = await appCalls({ variables: { SLACK_BOT_TOKEN: 'xoxb-own' } })
    expect(call?.headers.authorization).toBe('Bearer xoxb-own')
    const { settings } = exampleTools()
    const without = () =>
      slackAppChannel.render(
        exampleMessage(),
        { slackChannels: ['#a'] },
        exampleTools({ settings: { ...settings, slackBotToken: null } }),
      )
    expect(without).toThrow(/SLACK_BOT_TOKEN/)
  })

  it.each([
    [response({ ok: true, ts: '1' }), null],
    [response({ ok: false, error: 'ratelimited' }), { permanent: false, rateLimited: true }],
    [response({ ok: false, error: 'internal_error' }), { permanent: false, rateLimited: false }],
    [response({ ok: false, error: 'channel_not_found' }), { permanent: true }],
    [response({ ok: false, error: 'not_in_channel' }), { permanent: true }],
    [response({ ok: false, error: 'invalid_auth' }), { permanent: true }],
    [response({ ok: false, error: 'account_inactive' }), { permanent: true }],
    [response('<html>'), { permanent: false }],
    [response('null'), { permanent: false }],
    [response('', 429), { permanent: false, rateLimited: true }],
    [response('', 503), { permanent: false }],
  ])('judges %j', (given, expected) => {
    const judged = slackAppChannel.judge?.(given, '#ops')
    if (expected === null) expect(judged).toBeNull()
    else expect(judged).toMatchObject(expected)
  })
})
