import { describe, expect, it } from 'vitest'
import { exampleMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import type { ChannelTools } from './channel.ts'
import { slackChannel } from './slack.ts'
import { slackAppChannel } from './slack-app.ts'
import type { HttpAnswer, HttpCall } from './transport/http.ts'

const answer = (body: unknown, status = 200): HttpAnswer => ({
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
  it('tells in blocks beside a colour', async () => {
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

  it('goes to the room that is asked for, in green when all is well again', async () => {
    const body = await webhookBody(exampleMessage({ kind: 'recovery', alertType: 'ALERT_RECOVERY' }), '#web')
    expect(body.channel).toBe('#web')
    expect(body.attachments[0].color).toBe('#079455')
  })

  it('mentions nobody and fits whatever an error holds', async () => {
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
  it('posts to every room and person by the token of the operator', async () => {
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

  it("takes the account's own token first, and says which is missing", async () => {
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
    [answer({ ok: true, ts: '1' }), null],
    [answer({ ok: false, error: 'ratelimited' }), { permanent: false, rateLimited: true }],
    [answer({ ok: false, error: 'internal_error' }), { permanent: false, rateLimited: false }],
    [answer({ ok: false, error: 'channel_not_found' }), { permanent: true }],
    [answer({ ok: false, error: 'not_in_channel' }), { permanent: true }],
    [answer({ ok: false, error: 'invalid_auth' }), { permanent: true }],
    [answer({ ok: false, error: 'account_inactive' }), { permanent: true }],
    [answer('<html>'), { permanent: false }],
    [answer('null'), { permanent: false }],
    [answer('', 429), { permanent: false, rateLimited: true }],
    [answer('', 503), { permanent: false }],
  ])('judges %j', (given, expected) => {
    const judged = slackAppChannel.judge?.(given, '#ops')
    if (expected === null) expect(judged).toBeNull()
    else expect(judged).toMatchObject(expected)
  })
})
