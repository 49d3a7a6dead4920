// Subscribers and webhooks of a status page are notified once of an incident that a check opens and resolves: by two servers, after
// a repeated report, and after a server was killed between sending and recording.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openSmtp, type Smtp } from '../alerting/channels/transport/smtp.ts'
import { openChannelClients } from '../alerting/delivery/channel-clients.ts'
import { openPageWebhooks } from '../alerting/delivery/page-webhooks.ts'
import { deliverMails, type MailDelivery } from '../alerting/mails/mails.ts'
import { bodyOf, closeListeners, listenHttp } from '../testing/listeners.ts'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, minute, passed, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
let mailer: Smtp
let clients: ReturnType<typeof openChannelClients>
let arrived: Email[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    Array.fromAsync(stream as AsyncIterable<Buffer>)
      .then(async (chunks) => arrived.push(await PostalMime.parse(Buffer.concat(chunks))))
      .then(() => done(null), done)
  },
})
const log = pino({ level: 'silent' })

beforeAll(async () => {
  world = await startAlertWorld()
  clients = openChannelClients(world.api.config)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  mailer = openSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'Vedette <status@vedette.test>' })
})
afterEach(async () => {
  arrived = []
  await closeListeners()
})
afterAll(async () => {
  mailer.close()
  clients.close()
  await new Promise<void>((resolve) => smtp.close(resolve))
  await world.close()
})

/** One server sends the mails that are due. */
const sendMails = (send: MailDelivery['send'] = mailer.send) =>
  deliverMails(world.api.store.pool, {
    send,
    now: () => world.now(),
    publicUrl: 'http://vedette.test',
    sign: world.api.vault.sign,
    log,
  })

/** A check whose failure opens an incident on a page with two subscribers. */
async function scene() {
  const { alice, store } = world.api
  const service = (await alice.post('/v1/status-pages/services', { name: 'Shop' })).body
  const page = (
    await alice.post('/v1/status-pages', {
      name: 'Public',
      url: `p-${randomUUID().slice(0, 13)}`,
      cards: [{ name: 'All', services: [{ id: service.id }] }],
    })
  ).body
  const addresses = ['ada@example.com', 'bea@example.com']
  await alice.post(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: addresses.map((config) => ({ type: 'EMAIL', config })),
  })
  await store.pool.query(
    `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1`,
    [page.id],
  )
  await store.pool.query('delete from mails')
  const checkId = await world.checkFor([], {
    triggerIncident: {
      serviceId: service.id,
      severity: 'MAJOR',
      name: 'The shop is down',
      description: 'Orders fail.',
      notifySubscribers: true,
    },
  })
  return { page, checkId }
}

const countMails = async () =>
  (await world.api.store.pool.query(`select from mails where kind = 'incident_update'`)).rows.length

it('arrive once, though two servers send and the agent reports twice', async () => {
  const { checkId, page } = await scene()
  const bodies: string[] = []
  const { url } = await listenHttp(async (request, response) => {
    bodies.push(JSON.parse(await bodyOf(request)).type)
    response.end()
  })
  await world.api.alice.post(`/v1/status-pages/${page.id}/webhooks`, { name: 'Bot', url })
  const sendEvents = async () => {
    const { pool } = world.api.store
    const clock = { now: () => world.now() }
    const options = { pool, vault: world.api.vault, clock, log, publicUrl: '', http: clients.senders.http }
    const servers = [1, 2].map(() => openPageWebhooks({ ...options, isOn: true }))
    await Promise.all(servers.map((server) => server.turn()))
    await Promise.all(servers.map((server) => server.stop()))
  }
  for (const outcome of [refused, passed]) {
    world.pass(minute)
    const jobs = await world.agent.claim()
    for (const job of jobs) {
      const report = { ...job, ...(job.checkId === checkId ? outcome : passed) }
      await world.agent.report(report)
      await world.agent.report(report)
    }
    await Promise.all([sendMails(), sendMails()])
    await sendEvents()
  }
  const subjects = ['[Public] Investigating: The shop is down', '[Public] Resolved: The shop is down']
  expect(arrived.map(({ subject, to }) => `${to?.[0]?.address} ${subject}`).toSorted()).toEqual(
    ['ada@example.com', 'bea@example.com'].flatMap((to) => subjects.map((subject) => `${to} ${subject}`)),
  )
  expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(4)
  expect(await countMails()).toBe(4)
  expect(bodies).toEqual(['INCIDENT_OPENED', 'INCIDENT_RESOLVED'])
})

it('arrive again with the same Message-ID after a kill between sending and recording, without a second row', async () => {
  const { checkId } = await scene()
  await world.run(checkId, refused)
  // The killed server: the mail server has accepted the mails, and nothing is recorded.
  const accepted = Promise.withResolvers<void>()
  let count = 0
  void sendMails(async (mail) => {
    await mailer.send(mail)
    if (++count === 2) accepted.resolve()
    return new Promise<string>(() => undefined)
  })
  await accepted.promise
  expect(await sendMails()).toBe(0)
  world.pass(5 * minute)
  expect(await sendMails()).toBe(2)
  expect(await sendMails()).toBe(0)
  expect(arrived).toHaveLength(4)
  expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(2)
  expect(await countMails()).toBe(2)
  await world.run(checkId, passed)
})
