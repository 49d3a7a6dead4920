// The life cycle of a subscriber: verified by email, notified of an incident, unsubscribed with one click.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSmtp, type Smtp } from '../../alerting/channels/transport/smtp.ts'
import { deliverMails } from '../../alerting/mails/mails.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let mailer: Smtp
let received: Email[] = []
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', async () => {
      received.push(await PostalMime.parse(Buffer.concat(chunks)))
      done()
    })
  },
})
beforeAll(async () => {
  api = await startTestApi()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  mailer = openSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'Vedette <status@vedette.test>' })
})
afterAll(async () => {
  mailer.close()
  await new Promise<void>((resolve) => server.close(resolve))
  await api.close()
})

/** What arrives when the outbox is delivered. */
async function arrived(): Promise<Email[]> {
  received = []
  await deliverMails(api.store.pool, {
    send: mailer.send,
    now: () => Date.now(),
    publicUrl: 'http://vedette.test',
    sign: api.vault.sign,
    log: pino({ level: 'silent' }),
  })
  return received
}

/** Links begin with the public address; here it leads to the test's own socket. */
function pathIn(text: string | undefined, kind: string): string {
  return new RegExp(`http://vedette\\.test(/s/_/${kind}/\\S+)`).exec(text ?? '')?.[1] ?? ''
}

it('is verified by email, notified once, and unsubscribed with one click', async () => {
  const service = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body
  const internal = (await api.alice.post('/v1/status-pages/services', { name: 'Internal' })).body
  const page = (
    await api.alice.post('/v1/status-pages', {
      name: 'Shop ♥ status',
      url: `p-${randomUUID().slice(0, 13)}`,
      cards: [{ name: 'All', services: [{ id: service.id }] }],
    })
  ).body
  const subscriptions = `/v1/status-pages/${page.id}/subscriptions`
  const addresses = ['ada@example.com', 'silent@example.com']
  await api.alice.post(`${subscriptions}/bulk`, {
    subscriptions: addresses.map((config) => ({ type: 'EMAIL', config })),
  })

  const questions = await arrived()
  expect(questions.map(({ to }) => to?.[0]?.address).toSorted()).toEqual(addresses)
  expect(await arrived()).toEqual([])
  const question = questions.find(({ to }) => to?.[0]?.address === 'ada@example.com')
  expect(question?.subject).toBe('Confirm your subscription to Shop ♥ status')
  const verifyPath = pathIn(question?.text, 'verify')
  expect(question?.html).toContain(verifyPath)
  expect((await api.nobody.get(verifyPath)).status).toBe(200)
  expect((await api.alice.get(subscriptions)).body).toMatchObject([
    { address: 'ada@example.com', status: 'VERIFIED' },
    { address: 'silent@example.com', status: 'PENDING' },
  ])

  const incident = (
    await api.alice.post('/v1/status-pages/incidents', {
      name: 'Checkout <is> slow',
      severity: 'MAJOR',
      services: [{ id: service.id }, { id: internal.id }],
      incidentUpdates: [{ description: 'We look.', notifySubscribers: true }],
    })
  ).body
  const [news, ...others] = await arrived()
  expect(others).toEqual([])
  expect(news?.to?.[0]?.address).toBe('ada@example.com')
  expect(news?.subject).toBe('[Shop ♥ status] Investigating: Checkout <is> slow')
  expect(news?.text).toContain('Services: Checkout\n')
  expect(news?.html).toContain('Checkout &lt;is&gt; slow')
  expect(`${news?.text}${news?.html}`).not.toContain('Internal')

  const updates = `/v1/status-pages/incidents/${incident.id}/incident-updates`
  const update = { status: 'MONITORING', description: 'Better.', notifySubscribers: true }
  const posted = (await api.alice.post(updates, update)).body
  const [second] = await arrived()
  expect(second?.text).toContain('Better.')
  expect(second?.messageId).not.toBe(news?.messageId)
  // An edit, and an update without notifySubscribers, don't notify.
  await api.alice.put(`${updates}/${posted.id}`, { description: 'Better now.' })
  await api.alice.put(`${updates}/${posted.id}`, { notifySubscribers: true })
  await api.alice.post(updates, { ...update, notifySubscribers: false })
  expect(await arrived()).toEqual([])

  const header = (name: string) => second?.headers.find(({ key }) => key === name)?.value
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const unsubscribePath = pathIn(header('list-unsubscribe')?.replace(/[<>]/g, ''), 'unsubscribe')
  expect(pathIn(second?.text, 'unsubscribe')).toBe(unsubscribePath)
  // Pending mails of an unsubscribed address aren't sent.
  await api.alice.post(updates, { ...update, description: 'Nearly there.' })
  const oneClick = await api.nobody.send('POST', unsubscribePath, 'List-Unsubscribe=One-Click', {
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(oneClick.status).toBe(200)
  await api.alice.post(updates, { ...update, status: 'RESOLVED', description: 'Over.' })
  expect(await arrived()).toEqual([])
})

it('is notified once for each page that it follows, and not of services that none of them shows', async () => {
  const services = []
  for (const name of ['One', 'Two', 'Three']) {
    services.push((await api.alice.post('/v1/status-pages/services', { name })).body)
  }
  const [one, two, three] = services.map(({ id }) => ({ id }))
  const follow = async (name: string, cards: unknown[]) => {
    const body = { name, url: `p-${randomUUID().slice(0, 13)}`, cards }
    const { id } = (await api.alice.post('/v1/status-pages', body)).body
    await api.alice.post(`/v1/status-pages/${id}/subscriptions/bulk`, {
      subscriptions: [{ type: 'EMAIL', config: 'bea@example.com' }],
    })
  }
  // Shown twice on the first page: still one mail.
  await follow('First', [
    { name: 'A', services: [one] },
    { name: 'B', services: [one, two] },
  ])
  await follow('Second', [{ name: 'A', services: [two] }])
  await follow('Third', [{ name: 'A', services: [three] }])
  for (const { text } of await arrived()) await api.nobody.get(pathIn(text, 'verify'))
  await api.alice.post('/v1/status-pages/incidents', {
    name: 'Down',
    severity: 'MAJOR',
    services: [one, two],
    incidentUpdates: [{ description: 'We look.', notifySubscribers: true }],
  })
  const mails = await arrived()
  const told = mails.map(({ subject, text }) => `${subject} ${/Services: (.*)/.exec(text ?? '')?.[1]}`)
  expect(told.toSorted()).toEqual([
    '[First] Investigating: Down One, Two',
    '[Second] Investigating: Down Two',
  ])
})

it('is notified of the chosen services only', async () => {
  const services = []
  for (const name of ['Chosen', 'Ignored']) {
    services.push((await api.alice.post('/v1/status-pages/services', { name })).body)
  }
  const [chosen, ignored] = services.map(({ id }) => ({ id: id as string }))
  const url = `p-${randomUUID().slice(0, 13)}`
  await api.alice.post('/v1/status-pages', {
    name: 'Shop',
    url,
    cards: [{ name: 'A', services: [chosen, ignored] }],
  })
  const asked = await api.nobody.send(
    'POST',
    `/s/${url}/subscriptions`,
    `address=cy@example.com&service[]=${chosen?.id}`,
    { 'content-type': 'application/x-www-form-urlencoded' },
  )
  expect(asked.status).toBe(202)
  const [question] = await arrived()
  expect(question?.text).toContain('Services: Chosen')
  expect((await api.nobody.get(pathIn(question?.text, 'verify'))).status).toBe(200)
  const open = async (touched: unknown[]) => {
    await api.alice.post('/v1/status-pages/incidents', {
      name: 'Down',
      severity: 'MAJOR',
      services: touched,
      incidentUpdates: [{ description: 'We look.', notifySubscribers: true }],
    })
    return arrived()
  }
  expect(await open([ignored])).toEqual([])
  const [both] = await open([chosen, ignored])
  expect(both?.text).toContain('Services: Chosen, Ignored')
  // The link to choose services works, and takes effect at once.
  const managePath = pathIn(both?.text, 'manage')
  const saved = await api.nobody.send('POST', managePath, `service[]=${ignored?.id}`, {
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(saved.status).toBe(200)
  expect(await open([chosen])).toEqual([])
  expect(await open([ignored])).toHaveLength(1)
})
