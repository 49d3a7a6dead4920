// Code that wants to reach what the agent must not: by every way out that a cell has, and past all of them.
import { createServer } from 'node:net'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import type { Lookup } from '../net/resolve.ts'
import { type CellWay, cellWays, closeCell, runNode, skipWithoutIsolation } from './cell.fixture.ts'
import type { CellSettings } from './cell.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { CellStage } from './cell-stage.ts'

let stage: CellStage
let strong: CellWay[]
let reached = 0
let port: number

beforeAll(async () => {
  const opened = await cellWays()
  stage = opened.stage
  strong = opened.ways.filter(({ level }) => level === 'strong')
  port = await listen(
    createServer((socket) => {
      reached += 1
      // After the request: a response before it could be lost to a reset.
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi'),
      )
      socket.on('error', () => socket.destroy())
    }),
    '0.0.0.0',
  )
})

afterAll(async () => {
  stage.remove()
  await closeListeners()
})

/** Tries each host by each way, and says of each what came of it. */
const knocking = `
  import dns from 'node:dns'
  import http from 'node:http'
  import net from 'node:net'
  import { spawn } from 'node:child_process'
  const hosts = JSON.parse(process.env.HOSTS), port = Number(process.env.PORT)
  const bare = (host) => host.replace(/^\\[|\\]$/g, '')
  const exchange = (to, ...pieces) => new Promise((settle, fail) => {
    let text = ''
    const socket = net.connect(to, () => socket.write(pieces.shift()))
    socket.setTimeout(5000, () => socket.destroy(new Error('nothing')))
    socket.on('error', fail).on('close', () => settle(text))
    socket.on('data', (chunk) => { text += chunk.toString('latin1'); if (pieces.length) socket.write(pieces.shift()); else socket.end() })
  })
  const address = (host) => Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), Buffer.from(host), Buffer.from([port >> 8, port & 255])])
  const got = (text) => { if (!/hi$|^ok|200 Connection/.test(text)) throw new Error(JSON.stringify(text)) }
  const ways = {
    tcp: (host) => new Promise((done, fail) => net.connect(port, bare(host), done).on('error', fail)),
    fetch: (host) => fetch('http://' + host + ':' + port),
    http: (host) => new Promise((done, fail) => http.get('http://' + host + ':' + port, done).on('error', fail)),
    lookup: (host) => net.isIP(bare(host)) ? Promise.reject(new Error('an address')) : dns.promises.lookup(host),
    door: async (host) => got(await exchange({ path: '/run/egress' }, 'open 0 ' + port + ' ' + bare(host) + '\\n')),
    question: async (host) => { const text = await exchange({ path: '/run/egress' }, 'resolve 0 ' + bare(host) + '\\n'); got(text) },
    socks: async (host) => { const text = await exchange({ host: '127.0.0.1', port: ${relayPort} }, Buffer.from([5, 1, 0]), address(bare(host))); if (text.charCodeAt(3) !== 0) throw new Error('refused') },
    connect: async (host) => got(await exchange({ host: '127.0.0.1', port: ${relayPort} }, 'CONNECT ' + host + ':' + port + ' HTTP/1.1\\r\\n\\r\\n')),
    proxy: async (host) => got(await exchange({ host: '127.0.0.1', port: ${relayPort} }, 'GET http://' + host + ':' + port + '/ HTTP/1.1\\r\\n\\r\\n')),
    past: (host) => new Promise((done, fail) => {
      const code = 'require("net").connect(' + port + ', "' + bare(host) + '", () => process.exit(0)).setTimeout(2000, () => process.exit(1))'
      spawn('/node', ['-e', code], { env: {}, stdio: 'ignore' }).on('exit', (status) => status === 0 ? done() : fail(new Error('nothing')))
    }),
  }
  const loot = []
  await Promise.all(hosts.flatMap((host) => Object.entries(ways).map(async ([name, go]) => {
    try { await go(host); loot.push(name + ' ' + host) } catch {}
  })))
  console.log(JSON.stringify(loot.sort()))
  process.exit()`

async function knock(way: CellWay, hosts: string[], settings: Partial<CellSettings>): Promise<string[]> {
  const cell = await way.open(settings)
  try {
    const { stdout, stderr } = await runNode(cell, knocking, {
      HOSTS: JSON.stringify(hosts),
      PORT: `${port}`,
    })
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout)
  } finally {
    await closeCell(cell)
  }
}

const loopback = [
  ...['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0.0.0.0', '[::1]', '[::]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', 'LOCALHOST', 'localhost.', 'inner.test'],
]
const metadata = [
  ...['169.254.169.254', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '2852039166', '0xa9fea9fe'],
  ...['[fd00:ec2::254]', '[fe80::1]', '100.100.100.200', 'meta.test'],
]

const names: Record<string, string> = { 'inner.test': '127.0.0.1', 'meta.test': '169.254.169.254' }
const lookup: Lookup = async (name, family) => {
  const found = names[name] ?? (/^localhost\.?$/i.test(name) ? '127.0.0.1' : undefined)
  if (found === undefined || family === 'IPv6') throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  return [found]
}

describe('no connection leads', () => {
  it("to the agent's own machine or cloud metadata if only public networks are allowed", async ({ skip }) => {
    if (strong.length === 0) skipWithoutIsolation(skip)
    const network = networkPolicy({ mode: 'public' })
    expect(await knock(strong[0]!, [...loopback, ...metadata], { network, lookup })).toEqual([])
    expect(reached).toBe(0)
  })

  it('to cloud metadata by default, but to the machine', async ({ skip }) => {
    if (strong.length === 0) skipWithoutIsolation(skip)
    const network = networkPolicy({ mode: 'default' })
    expect(await knock(strong[0]!, metadata, { network, lookup })).toEqual([])
    const ways = ['connect', 'door', 'fetch', 'http', 'lookup', 'proxy', 'question', 'socks', 'tcp']
    const found = await knock(strong[0]!, ['inner.test'], { network, lookup })
    expect(found).toEqual(ways.map((name) => `${name} inner.test`))
  })

  it('to another address than the one that was checked', async ({ skip }) => {
    if (strong.length === 0) skipWithoutIsolation(skip)
    const before = reached
    let asked = 0
    // Allowed when it is asked for, and somewhere else when it is used.
    const rebinding: Lookup = async () => [++asked % 2 === 1 ? '127.0.0.2' : '127.0.0.1']
    const network = networkPolicy({ mode: 'public', allow: ['127.0.0.2/32'] })
    const program = `
      import dns from 'node:dns'
      import net from 'node:net'
      const { address } = await dns.promises.lookup('rebinding.test', { family: 4 })
      const said = await new Promise((done) => net.connect({ port: ${port}, host: 'rebinding.test', family: 4 }, () => done('connected')).on('error', (error) => done(error.message)))
      console.log(address, said)
      process.exit()`
    const cell = await strong[0]!.open({ network, lookup: rebinding })
    const { stdout } = await runNode(cell, program)
    await closeCell(cell)
    expect(stdout).toMatch(
      /^127\.0\.0\.2 127\.0\.0\.1:\d+ is a loopback address, and this agent doesn't connect to it/,
    )
    expect([asked, reached]).toEqual([2, before])
    expect(cell.connectionFailures()).toMatchObject([{ host: 'rebinding.test', port, kind: 'blocked' }])
  })
})
