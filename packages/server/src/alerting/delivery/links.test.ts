// Opens every link that channels send.
import { type ChannelType, channelDefinitions, channelTypes } from '@vedette/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openLinks } from '../../storage/core/signed-links.ts'
import { insertFailedResult } from '../../testing/results.ts'
import { exampleTools } from '../channels/channel.fixture.ts'
import { channelOf } from '../channels/index.ts'
import { exampleMessage } from '../message/message.fixture.ts'
import { type DeliveryWorld, hook, startDeliveryWorld } from './deliver.fixture.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterEach(() => world.clear())
afterAll(() => world.close())

const publicUrl = 'http://vedette.test'
const linksIn = (text: string) => [...new Set(text.match(/http:\/\/vedette\.test\/[^\s"'<>|\\%)]*/g))]

async function follow(link: string) {
  return world.api.nobody.get(link.replace(publicUrl, ''))
}

async function messageLinks() {
  const { api } = world
  const checkId = await world.check()
  const resultId = await insertFailedResult(api.store, api.alice.accountId, checkId)
  const signing = { publicUrl, sign: api.vault.sign, now: world.now() }
  const linkTo = await openLinks(api.store.db, signing, api.alice.accountId)
  return { checkId, resultLink: linkTo('result', checkId, resultId), testLink: linkTo('testAlert') }
}

const configs: Record<ChannelType, object> = {
  EMAIL: { address: 'a@example.com' },
  SLACK: { url: 'https://hooks.test/T0' },
  SLACK_APP: { slackChannels: ['#ops'] },
  SMS: { number: '+14155550100' },
  CALL: { number: '+14155550100' },
  PAGERDUTY: { serviceKey: 'ROUTING' },
  OPSGENIE: { apiKey: 'KEY', region: 'EU', priority: 'P2' },
  WEBHOOK: { url: 'https://hooks.test/', webhookSecret: '' },
}
const webhookTypes = channelDefinitions.WEBHOOK.config.shape.webhookType.unwrap().unwrap().options
/** Phone calls have no link. */
const withoutLink = ['CALL']

describe('every link of a rendered message opens', () => {
  it.each([
    ...channelTypes.map((type) => [type, type, configs[type]] as const),
    ...webhookTypes.map(
      (webhookType) => [webhookType, 'WEBHOOK', { ...configs.WEBHOOK, webhookType }] as const,
    ),
  ])('%s', async (name, type, given) => {
    const { resultLink, testLink } = await messageLinks()
    const config = channelDefinitions[type].config.parse(given) as Record<string, unknown>
    const tools = exampleTools({ variables: { TELEGRAM_CHAT_ID: '-100200' } })
    for (const link of [resultLink, testLink]) {
      const message = exampleMessage({ resultLink: link, analysis: null })
      const parts = await channelOf(type).render(message, config, tools)
      const text = parts.map((part) => JSON.stringify('mail' in part ? part.mail : part.http)).join('\n')
      const sent = linksIn(text.replaceAll('%3A', ':').replaceAll('%2F', '/').replace(/[+&]/g, ' '))
      expect(sent, name).toEqual(withoutLink.includes(name) ? [] : [link])
      for (const one of sent) expect((await follow(one)).status, one).toBe(200)
    }
  })
})

describe('a delivered message', () => {
  it('links to the check, or to the stored result of the alert', async () => {
    const { api } = world
    const { url, received } = await hook()
    const channel = await world.channelTo(url, { template: '{{RESULT_LINK}}' })
    const checkId = await world.check()
    const resultId = await insertFailedResult(api.store, api.alice.accountId, checkId)
    await world.insertAlert(checkId, 'ALERT_FAILURE', [channel])
    await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    await api.store.pool.query('update check_alerts set result_id = $2 where check_id = $1', [
      checkId,
      resultId,
    ])
    await world.deliverAll()
    expect(received).toHaveLength(2)
    const pages = await Promise.all(received.map(({ body }) => follow(body.trim())))
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(pages.filter(({ text }) => text.includes('Connection refused.'))).toHaveLength(1)
    expect(pages.every(({ text }) => text.includes('<h1>Shop</h1>'))).toBe(true)
  })
})
