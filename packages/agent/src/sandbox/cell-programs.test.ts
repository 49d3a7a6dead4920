// The egress of ordinary programs in a real cell: the preload of Node, and the proxy.
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'node:net'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authority, localhost } from '../net/certificates.fixture.ts'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import type { Lookup } from '../net/resolve.ts'
import { type CellWay, cellWays, closeCell, runNode, skipWithoutIsolation } from './cell.fixture.ts'
import type { Cell } from './cell.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { CellStage } from './cell-stage.ts'

let stage: CellStage
let way: CellWay | undefined
let cell: Cell
let ports: Record<string, number>

const lookup: Lookup = async (name, family) => {
  const found = name === 'none.test' ? undefined : family === 'IPv6' ? '::1' : '127.0.0.1'
  if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  return [found]
}

beforeAll(async () => {
  const opened = await cellWays()
  stage = opened.stage
  way = opened.ways.find(({ level }) => level === 'strong')
  if (!way) return
  const respond: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () =>
      response.end(`${request.method} ${request.headers.host?.split(':')[0]} ${request.url} ${body}`),
    )
  }
  const http = createHttpServer(respond)
  http.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n')
    socket.pipe(socket)
  })
  const https = createHttpsServer({ ...localhost, SNICallback: seeName }, respond)
  // Responds only after the other side has ended.
  const halves = createServer({ allowHalfOpen: true }, (socket) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => socket.end(`received ${received.length}`))
  })
  ports = {
    http: await listen(http),
    https: await listen(https),
    halves: await listen(halves),
    six: await listen(createHttpServer(respond), '::1'),
    closed: await closedPort(),
  }
  cell = await way.open({ network: networkPolicy({ mode: 'default' }), lookup })
})

const seenNames: string[] = []
const seeName = (name: string, done: (error: Error | null) => void) => {
  seenNames.push(name)
  done(null)
}

async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((settle) =>
    server.listen(0, '127.0.0.1', () => settle((server.address() as { port: number }).port)),
  )
  await new Promise((settle) => server.close(settle))
  return port
}

afterAll(async () => {
  if (way) await closeCell(cell)
  stage.remove()
  await closeListeners()
})

/** What the expression comes to inside. */
async function inside(expression: string): Promise<unknown> {
  const program = `
    import dns from 'node:dns'
    import http from 'node:http'
    import https from 'node:https'
    import net from 'node:net'
    import tls from 'node:tls'
    import { once } from 'node:events'
    import { text } from 'node:stream/consumers'
    const ports = ${JSON.stringify(ports)}
    const failing = (promise) => promise.then(() => 'no error', ({ code, cause }) => cause?.code ?? code)
    const talk = async (to, ...pieces) => {
      const socket = net.connect(to)
      const closed = once(socket, 'close')
      const received = []
      let onData = () => {}
      socket.on('data', (chunk) => { received.push(chunk); onData() })
      for (const piece of pieces) {
        const replied = new Promise((done) => { onData = done })
        socket.write(piece)
        await Promise.race([replied, closed])
      }
      socket.end()
      await closed
      return received
    }
    const value = await (async () => ${expression})()
    console.log(JSON.stringify(value) ?? 'undefined')
    process.exit()`
  const { stdout, stderr } = await runNode(cell, program, { NODE_EXTRA: '' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const inCell = (name: string, expression: string, expected: unknown) =>
  it(name, async ({ skip }) => {
    if (!way) return skipWithoutIsolation(skip)
    expect(await inside(expression)).toEqual(expected)
  })

describe('Node in a cell', () => {
  inCell(
    'makes requests by http, fetch and with a body',
    `[
      await new Promise((done) => http.get('http://shop.test:' + ports.http + '/a', (response) => done(text(response)))),
      await fetch('http://shop.test:' + ports.http + '/b').then((response) => response.text()),
      await fetch('http://127.0.0.1:' + ports.http + '/c', { method: 'POST', body: 'x'.repeat(100_000) }).then(async (response) => (await response.text()).length),
    ]`,
    ['GET shop.test /a ', 'GET shop.test /b ', 100_000 + 'POST 127.0.0.1 /c '.length],
  )

  it('connects with TLS by the requested name, and verifies the certificate', async ({ skip }) => {
    if (!way) return skipWithoutIsolation(skip)
    const found = await inside(`[
      await new Promise((done, fail) => https.get({ host: 'localhost', port: ports.https, path: '/s', ca: ${JSON.stringify(authority)} }, (response) => done(text(response))).on('error', fail)),
      await failing(fetch('https://localhost:' + ports.https)),
      await failing(new Promise((done, fail) => https.get({ host: 'elsewhere.test', port: ports.https, ca: ${JSON.stringify(authority)} }, done).on('error', fail))),
      await new Promise((done, fail) => { const socket = tls.connect(ports.https, 'localhost', { ca: ${JSON.stringify(authority)} }, () => done(socket.authorized)).on('error', fail) }),
    ]`)
    expect(found).toEqual([
      'GET localhost /s ',
      expect.stringMatching(/SELF_SIGNED|UNABLE_TO/),
      'ERR_TLS_CERT_ALTNAME_INVALID',
      true,
    ])
    expect(seenNames).toEqual(expect.arrayContaining(['localhost', 'elsewhere.test']))
  })

  inCell(
    'upgrades connections',
    `(async () => {
      const request = http.request({ port: ports.http, host: 'shop.test', headers: { connection: 'Upgrade', upgrade: 'echo' } }).end()
      const [, socket] = await once(request, 'upgrade')
      socket.write('ping')
      return String((await once(socket, 'data'))[0])
    })()`,
    'ping',
  )

  inCell(
    'uses plain connections, and may end its side first',
    `(async () => {
      const socket = net.connect({ port: ports.halves, host: 'db.test', allowHalfOpen: true })
      socket.end('x'.repeat(1_000_000))
      return [await text(socket), socket.bytesWritten]
    })()`,
    ['received 1000000', 1_000_000],
  )

  inCell(
    'resolves names',
    `[
      await dns.promises.lookup('a.test'),
      await dns.promises.lookup('a.test', { all: true, family: 6 }),
      await new Promise((done) => dns.lookup('a.test', (error, address, family) => done([error, address, family]))),
      await new Promise((done) => dns.lookup('a.test', 4, (error, address) => done(address))),
      await dns.promises.resolve4('a.test'),
      await dns.promises.resolve('a.test', 'AAAA'),
      await new Promise((done) => dns.resolve6('a.test', (error, found) => done(found))),
      await failing(dns.promises.lookup('none.test')),
      await failing(dns.promises.resolve('a.test', 'MX')),
    ]`,
    [
      { address: '127.0.0.1', family: 4 },
      [{ address: '::1', family: 6 }],
      [null, '127.0.0.1', 4],
      ...['127.0.0.1', ['127.0.0.1'], ['::1'], ['::1'], 'ENOTFOUND', 'ENOTIMP'],
    ],
  )

  inCell(
    'gets the errors it knows',
    `[
      await failing(fetch('http://127.0.0.1:' + ports.closed)),
      await failing(fetch('http://none.test')),
      await failing(new Promise((done, fail) => net.connect(80, '169.254.169.254', done).on('error', fail))),
      await new Promise((done) => net.connect(ports.closed, '127.0.0.1').on('error', ({ syscall, address, port }) => done([syscall, address, port === ports.closed]))),
    ]`,
    ['ECONNREFUSED', 'ENOTFOUND', 'BLOCKED', ['connect', '127.0.0.1', true]],
  )

  inCell(
    "finds its own servers before those of the agent's machine, and its own socket files",
    `(async () => {
      const before = await fetch('http://localhost:' + ports.http + '/x').then((response) => response.text())
      const own = http.createServer((request, response) => response.end('own')).listen(ports.http, '127.0.0.1')
      await once(own, 'listening')
      const after = await fetch('http://localhost:' + ports.http + '/x').then((response) => response.text())
      const file = net.createServer((socket) => socket.end('by file')).listen('/tmp/own.sock')
      await once(file, 'listening')
      return [before, after, await text(net.connect('/tmp/own.sock')), await text(net.connect({ path: '/tmp/own.sock' }))]
    })()`,
    ['GET localhost /x ', 'own', 'by file', 'by file'],
  )

  inCell(
    'can give up while a connection is being made',
    `(async () => {
      for (let i = 0; i < 400; i++) { const socket = net.connect(ports.http, 'shop.test'); socket.on('error', () => {}); socket.destroy() }
      // The agent may still be closing them; those that it never closed would refuse this forever.
      for (;;) {
        const response = await fetch('http://shop.test:' + ports.http + '/after').catch((error) => error)
        if (response instanceof Error && String(response.cause).includes('more than 256')) continue
        return response.text()
      }
    })()`,
    'GET shop.test /after ',
  )
})

describe('the proxy in a cell', () => {
  const relay = `{ host: '127.0.0.1', port: ${relayPort} }`
  const port = '(name) => [ports[name] >> 8, ports[name] & 255]'
  const request = "'GET /p HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'"

  inCell(
    'supports SOCKS by name, IPv4 and IPv6, and refuses with the reason',
    `(async () => {
      const port = ${port}
      const name = (text) => [3, text.length, ...Buffer.from(text)]
      const request = async (command, address, to) => {
        const [hello, reply, rest] = await talk(${relay}, Buffer.from([5, 1, 0]), Buffer.from([5, command, 0, ...address, ...to]))
        return [hello[1], reply[1]]
      }
      const through = async (address, to) => {
        const found = await talk(${relay}, Buffer.from([5, 1, 0]), Buffer.from([5, 1, 0, ...address, ...to]), ${request})
        return String(Buffer.concat(found.slice(2))).split('\\r\\n\\r\\n')[1].replace(/\\s*[0-9a-f]+\\r\\n/g, '').trim()
      }
      return [
        await through(name('shop.test'), port('http')),
        await through([1, 127, 0, 0, 1], port('http')),
        await through([4, ...Array(15).fill(0), 1], port('six')),
        await request(1, [1, 127, 0, 0, 1], port('closed')),
        await request(1, name('none.test'), port('http')),
        await request(1, [1, 169, 254, 169, 254], [0, 80]),
        await request(2, [1, 127, 0, 0, 1], port('http')),
      ]
    })()`,
    [...Array(3).fill(expect.stringContaining('GET x /p')), [0, 5], [0, 4], [0, 2], [0, 1]],
  )

  inCell(
    'supports SOCKS in small chunks, and closes on invalid input',
    `(async () => {
      const socket = net.connect(${relay})
      const bytes = []
      socket.on('data', (chunk) => bytes.push(...chunk))
      for (const byte of [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, ports.http >> 8, ports.http & 255]) {
        socket.write(Buffer.from([byte]))
        await new Promise((done) => setTimeout(done, 5))
      }
      while (bytes.length < 12) await once(socket, 'data')
      const nonsense = net.connect(${relay})
      nonsense.end('nonsense\\r\\n\\r\\n')
      nonsense.on('error', () => {})
      await once(nonsense.resume(), 'close')
      return bytes.slice(0, 4)
    })()`,
    [5, 0, 5, 0],
  )

  inCell(
    'is an HTTP proxy: CONNECT, and plain requests',
    `(async () => {
      const proxied = async (...pieces) => String(Buffer.concat(await talk(${relay}, ...pieces)))
      const connected = await proxied('CONNECT shop.test:' + ports.http + ' HTTP/1.1\\r\\n\\r\\n', ${request})
      const plain = await proxied('POST http://shop.test:' + ports.http + '/plain?q=1 HTTP/1.1\\r\\nHost: shop.test\\r\\nProxy-Connection: keep-alive\\r\\nContent-Length: 2\\r\\n\\r\\nhi')
      const refused = await proxied('CONNECT 127.0.0.1:' + ports.closed + ' HTTP/1.1\\r\\n\\r\\n')
      return [connected.split('\\r\\n')[0], connected.includes('GET x /p'), plain.includes('POST shop.test /plain?q=1 hi'), refused.split('\\r\\n')[0]]
    })()`,
    ['HTTP/1.1 200 Connection established', true, true, 'HTTP/1.1 502 Bad Gateway'],
  )
})
