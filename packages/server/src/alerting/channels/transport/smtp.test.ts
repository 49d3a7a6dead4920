import { createServer } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { localhostCertificate } from '../../../testing/certificates.ts'
import { closeListeners, listen } from '../../../testing/listeners.ts'
import { DeliveryError } from './delivery-error.ts'
import { type Mail, openSmtp, type Smtp } from './smtp.ts'

const from = 'Vedette <alerts@vedette.test>'
const opened: Smtp[] = []
const servers: SMTPServer[] = []

function open(url: string | undefined): Smtp {
  const smtp = openSmtp({ url, from })
  opened.push(smtp)
  return smtp
}

function mail(over: Partial<Mail> = {}): Mail {
  return {
    to: 'eve@example.test',
    subject: 'Ünwell',
    text: 'as text',
    html: '<p>as HTML',
    messageId: 'an-id',
    ...over,
  }
}

interface Received {
  email: Email
  recipients: string[]
  sender: string
  isSecure: boolean
}

/** A real mail server that accepts everything except what `over` refuses. */
async function listenSmtp(over: SMTPServerOptions = {}) {
  const received: Received[] = []
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_, done) => {
      connections += 1
      done()
    },
    onData(stream, { envelope, secure }, done) {
      bytesOf(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then((email) => {
          const { mailFrom, rcptTo } = envelope
          const recipients = rcptTo.map(({ address }) => address)
          received.push({ email, recipients, sender: mailFrom ? mailFrom.address : '', isSecure: secure })
        })
        .then(() => done(null, 'queued as 1234'), done)
    },
    ...over,
  })
  server.on('error', () => undefined)
  servers.push(server)
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as { port: number }).port))
  })
  return { port, url: `smtp://127.0.0.1:${port}`, received, connections: () => connections }
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

async function failureOf(sent: Promise<unknown>): Promise<DeliveryError> {
  const error = await sent.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`)
  return error
}

afterEach(async () => {
  for (const smtp of opened.splice(0)) smtp.close()
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()))
  await closeListeners()
})

describe('an email', () => {
  it('arrives with its content, a stable id and the header of automatic emails', async () => {
    const { url, received } = await listenSmtp()
    const headers = { 'List-Unsubscribe': '<https://vedette.test/u>' }
    expect(await open(url).send(mail({ headers }))).toMatch(/queued as 1234/)
    expect(received).toHaveLength(1)
    const [{ email, recipients, sender }] = received as [Received]
    expect({ recipients, sender }).toEqual({
      recipients: ['eve@example.test'],
      sender: 'alerts@vedette.test',
    })
    expect(email).toMatchObject({
      from: { name: 'Vedette', address: 'alerts@vedette.test' },
      to: [{ address: 'eve@example.test' }],
      subject: 'Ünwell',
      messageId: '<an-id@vedette.test>',
    })
    expect(email.text?.trim()).toBe('as text')
    expect(email.html?.trim()).toBe('<p>as HTML')
    const headerValues = Object.fromEntries(email.headers.map(({ key, value }) => [key, value]))
    expect(headerValues).toMatchObject({
      'auto-submitted': 'auto-generated',
      'x-vedette-id': 'an-id',
      'list-unsubscribe': '<https://vedette.test/u>',
    })
  })

  it('keeps the domain of an id that has one', async () => {
    const { url, received } = await listenSmtp()
    await open(url).send(mail({ messageId: 'an-id@status.test' }))
    const [{ email }] = received as [Received]
    expect(email.messageId).toBe('<an-id@status.test>')
    expect(email.headers.find(({ key }) => key === 'x-vedette-id')?.value).toBe('an-id')
  })

  it('cannot inject headers or recipients', async () => {
    const { url, received } = await listenSmtp()
    const smtp = open(url)
    await smtp.send(mail({ subject: 'a\r\nBcc: bob@example.test', headers: { 'X-A': 'a\r\nX-B: b' } }))
    const [{ email, recipients }] = received as [Received]
    expect(recipients).toEqual(['eve@example.test'])
    expect(email.headers.map(({ key }) => key)).not.toEqual(expect.arrayContaining(['bcc']))
    expect(email.headers.map(({ key }) => key)).not.toEqual(expect.arrayContaining(['x-b']))
    const failure = await failureOf(smtp.send(mail({ to: 'eve@example.test, bob@example.test' })))
    expect(failure.permanent).toBe(true)
    expect(received).toHaveLength(1)
  })

  it('shares a few connections with others', async () => {
    const { url, received, connections } = await listenSmtp()
    const smtp = open(url)
    const mails = new Array(100).fill(0).map((_, index) => mail({ messageId: `id-${index}` }))
    await Promise.all(mails.map((one) => smtp.send(one)))
    expect(new Set(received.map(({ email }) => email.messageId)).size).toBe(100)
    expect(connections()).toBeLessThanOrEqual(5)
  })

  it('is encrypted if the server offers it', async () => {
    const { url, received } = await listenSmtp({ ...localhostCertificate, disabledCommands: [] })
    expect(await failureOf(open(url).send(mail()))).toMatchObject({
      permanent: false,
      message:
        "The certificate of the mail server isn't trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Ask the operator to install a valid one.",
    })
    await open(`${url}?tls.rejectUnauthorized=false`).send(mail())
    expect(received.map(({ isSecure }) => isSecure)).toEqual([true])
  })

  it('authenticates with user and password', async () => {
    const seen: unknown[] = []
    const { port } = await listenSmtp({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        seen.push([username, password])
        done(null, { user: 1 })
      },
      allowInsecureAuth: true,
    })
    await open(`smtp://us%40er:hunter%2F2@127.0.0.1:${port}`).send(mail())
    expect(seen).toEqual([['us@er', 'hunter/2']])
  })
})

describe('a refused email', () => {
  it('for one recipient does not affect the others', async () => {
    const { url, received } = await listenSmtp({
      onRcptTo({ address }, _, done) {
        done(address.startsWith('gone') ? reply(550, 'No such user here') : null)
      },
    })
    const smtp = open(url)
    const sent = ['eve', 'gone', 'bob'].map((name) => smtp.send(mail({ to: `${name}@example.test` })))
    const [eve, gone, bob] = await Promise.allSettled(sent)
    expect([eve?.status, gone?.status, bob?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await failureOf(sent[1]!)).toMatchObject({
      permanent: true,
      message: expect.stringMatching(/^The mail server refused the email \(550 .*No such user here/),
    })
    expect(received.flatMap(({ recipients }) => recipients).sort()).toEqual([
      'bob@example.test',
      'eve@example.test',
    ])
  })

  it.each<[string, boolean, RegExp, SMTPServerOptions]>([
    ['the recipient for now', false, /451 .*later/, { onRcptTo: (_, __, done) => done(reply(451, 'later')) }],
    ['the sender', true, /550 .*not you/, { onMailFrom: (_, __, done) => done(reply(550, 'not you')) }],
    ['unauthenticated clients', false, /530 /, { authOptional: false }],
    [
      'the message',
      true,
      /554 .*spam/,
      { onData: (stream, _, done) => stream.resume().on('end', () => done(reply(554, 'spam'))) },
    ],
    [
      'the message for now',
      false,
      /452 .*full/,
      { onData: (stream, _, done) => stream.resume().on('end', () => done(reply(452, 'full'))) },
    ],
    ['the connection', false, /554 .*go away/, { onConnect: (_, done) => done(reply(554, 'go away')) }],
    ['the connection for now', false, /421 .*busy/, { onConnect: (_, done) => done(reply(421, 'busy')) }],
  ])('because the server refuses %s', async (_, permanent, message, over) => {
    const { url, received } = await listenSmtp(over)
    expect(await failureOf(open(url).send(mail()))).toMatchObject({
      permanent,
      message: expect.stringMatching(message),
    })
    expect(received).toEqual([])
  })

  it('because of a wrong password is reported for the operator', async () => {
    const { port } = await listenSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => done(reply(535, `wrong: ${password}`)),
    })
    const failure = await failureOf(open(`smtp://eve:hunter%402@127.0.0.1:${port}`).send(mail()))
    expect(failure).toMatchObject({
      permanent: false,
      message: expect.stringMatching(/refused the user name and password of SMTP_URL \(535 .*wrong: \*\*\*/),
    })
    expect(JSON.stringify([failure.message, failure.cause, failure.stack])).not.toMatch(/hunter/)
  })

  it('is transient if the connection drops or the server is down', async () => {
    const drops = await listen(createServer((socket) => socket.end()))
    const greets = await listen(
      createServer((socket) => {
        socket.write('220 hello\r\n')
        socket.once('data', () => socket.destroy())
      }),
    )
    const strange = await listen(createServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n')))
    const goneServer = createServer()
    const gone = await listen(goneServer)
    await new Promise((resolve) => goneServer.close(resolve))
    for (const { port } of [drops, greets, strange, gone]) {
      expect(await failureOf(open(`smtp://us:hunter2@127.0.0.1:${port}`).send(mail()))).toMatchObject({
        permanent: false,
        message: expect.stringMatching(
          /^The mail server could not be reached, or it closed the connection \((?!.*hunter2)/,
        ),
      })
    }
  })

  it('that was interrupted is not repeated automatically', async () => {
    let begun = 0
    const speaking = await listen(
      createServer((socket) => {
        let body: string | null = null
        socket.write('220 hello\r\n')
        socket.on('data', (bytes) => {
          const text = bytes.toString()
          if (body !== null) body += text
          else if (text.startsWith('DATA')) {
            begun += 1
            body = ''
            socket.write('354 go on\r\n')
          } else socket.write('250 yes\r\n')
          if (body?.endsWith('\r\n.\r\n')) socket.destroy()
        })
      }),
    )
    const url = `smtp://127.0.0.1:${speaking.port}`
    expect(await failureOf(open(url).send(mail()))).toMatchObject({ permanent: false })
    expect(begun).toBe(1)
  })

  it('without a configured server names the setting', async () => {
    expect(await failureOf(open(undefined).send(mail()))).toMatchObject({
      permanent: true,
      message: expect.stringContaining('SMTP_URL'),
    })
  })
})
