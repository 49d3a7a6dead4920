// Requests of untrusted programs to the egress, and their limits.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import type { Lookup } from '../net/resolve.ts'
import { type EgressLimits, type EgressServer, startEgressServer } from './egress-server.ts'

const lookup: Lookup = async (name, family) => {
  const known: Record<string, string[]> = {
    'a.test': family === 'IPv4' ? ['127.0.0.1', '127.0.0.2'] : ['::1'],
  }
  const found = known[name]
  if (!found) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  return found
}

let folder: string
let server: EgressServer
let port: number
const sockets: Socket[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'egress-'))
  port = await listen(createServer((socket) => socket.pipe(socket)))
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
  rmSync(folder, { recursive: true })
  await closeListeners()
})

async function open(limits: Partial<EgressLimits> = {}, network = networkPolicy({ mode: 'default' })) {
  const all = { maxOpenConnections: 10, maxConnections: 100, maxTransferredBytes: 1e6, ...limits }
  server = await startEgressServer(folder, { network, lookup }, all)
}

function request(text: string | Buffer, file = 'egress'): Promise<string> {
  return new Promise((settle) => {
    let response = ''
    const socket = connect(join(folder, file), () => socket.write(text))
    sockets.push(socket)
    socket.on('data', (chunk) => {
      response += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => settle(response))
  })
}

/** Through a socket file of the egress. */
const echo = (name: string, text: string) =>
  new Promise<string>((settle, fail) => {
    const socket = connect(join(folder, name), () => socket.write(text))
    sockets.push(socket)
    socket.once('data', (chunk) => settle(String(chunk)))
    socket.on('error', fail)
  })

describe('the egress of a cell', () => {
  it('resolves names and opens connections', async () => {
    await open()
    expect(await request('resolve 4 a.test\n')).toBe('ok 127.0.0.1,127.0.0.2\n')
    expect(await request('resolve 6 a.test\n')).toBe('ok ::1\n')
    expect(await request(`open 4 ${port} a.test\n`)).toBe('ok s1\n')
    expect(await echo('s1', 'hello')).toBe('hello')
    expect(await request('resolve 0 b.test\n')).toMatch(/^no ENOTFOUND The name b\.test /)
    expect(await request(`open 4 1 a.test\n`)).toMatch(/^no ECONNREFUSED /)
    expect(await request('open 4 80 169.254.169.254\n')).toMatch(
      /^no BLOCKED 169\.254\.169\.254:80 is a link-local/,
    )
    expect(server.failures).toMatchObject([
      { host: 'a.test', port: 1, code: 'ECONNREFUSED' },
      { host: '169.254.169.254', port: 80, kind: 'blocked' },
    ])
  })

  it("reports whether a connection ended or was reset, which a socket file doesn't show", async () => {
    await open()
    const ending = createServer((socket) => socket.once('data', () => socket.end()))
    const breaking = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    await request(`open 4 ${await listen(ending)} a.test\n`)
    await request(`open 4 ${await listen(breaking)} a.test\n`)
    expect(await request('hello', 's1')).toBe('')
    expect(await request('hello', 's2')).toBe('')
    expect(await request('ended s1\n')).toBe('ok end\n')
    expect(await request('ended s2\n')).toBe('ok reset\n')
    expect(await request('ended ../egress\n')).toBe('no EINVAL invalid request\n')
  })

  it('accepts one client per socket file', async () => {
    await open()
    await request(`open 4 ${port} a.test\n`)
    expect(await echo('s1', 'mine')).toBe('mine')
    await expect(echo('s1', 'stolen')).rejects.toThrow()
    sockets.at(-2)?.destroy()
    await expect.poll(() => readdirSync(folder)).toEqual(['egress'])
  })

  it.each([
    ['nothing', '\n'],
    ['a word', 'hello\n'],
    ['an invalid port', 'open 4 99999 a.test\n'],
    ['port 0', 'open 4 0 a.test\n'],
    ['another family', 'open 5 80 a.test\n'],
    ['two hosts', 'open 4 80 a.test b.test\n'],
    ['a path', 'open 4 80 ../../etc\tx\n'],
    ['no end', 'x'.repeat(5_000)],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 10])],
    ['a host without end', `open 4 80 ${'a'.repeat(400)}\n`],
  ])('%s is an invalid request', async (_name, text) => {
    await open()
    expect(await request(text)).toBe('no EINVAL invalid request\n')
    expect(await request('resolve 4 a.test\n')).toBe('ok 127.0.0.1,127.0.0.2\n')
  })

  it('limits open connections and requests', async () => {
    await open({ maxOpenConnections: 2, maxConnections: 5 })
    const response = []
    for (let i = 0; i < 3; i++) response.push(await request(`open 4 ${port} a.test\n`))
    expect(response).toEqual(['ok s1\n', 'ok s2\n', 'no BLOCKED more than 2 connections are open\n'])
    await request('resolve 4 a.test\n')
    await request('resolve 4 a.test\n')
    expect(await request('resolve 4 a.test\n')).toBe(
      'no BLOCKED more than 5 connections and lookups were made\n',
    )
  })

  it('limits transferred bytes', async () => {
    await open({ maxTransferredBytes: 1_000 })
    await request(`open 4 ${port} a.test\n`)
    const socket = connect(join(folder, 's1'))
    sockets.push(socket)
    socket.resume().write(Buffer.alloc(5_000))
    await new Promise((settle) => socket.on('close', settle))
    expect(await request(`open 4 ${port} a.test\n`)).toMatch(/^no /)
  })

  it('closes connections without a request', async () => {
    await open()
    const holding = Array.from({ length: 600 }, () => connect(join(folder, 'egress')))
    sockets.push(...holding)
    const hungUp = () => holding.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length
    for (const socket of holding) socket.resume().on('error', () => {})
    await expect.poll(hungUp).toBe(600 - 512)
    holding[0]?.destroy()
    await expect.poll(() => request('resolve 4 a.test\n')).toBe('ok 127.0.0.1,127.0.0.2\n')
  })

  it('closes all connections when it closes', async () => {
    await open()
    await request(`open 4 ${port} a.test\n`)
    const socket = connect(join(folder, 's1'))
    sockets.push(socket)
    await new Promise((settle) => socket.once('connect', settle))
    server.close()
    await new Promise((settle) =>
      socket
        .resume()
        .on('error', () => {})
        .on('close', settle),
    )
    await expect.poll(() => readdirSync(folder)).toEqual([])
  })
})
