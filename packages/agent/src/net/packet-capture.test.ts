import { connect, createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type CapturedAttempt, captureAttempt } from './capture-attempt.ts'
import { clock, closeListeners, listen } from './listeners.fixture.ts'
import { openPacketCapture } from './packet-capture.ts'
import { type ReadPacket, readPcap, readPcapFile } from './pcap.fixture.ts'
import { ping } from './ping.ts'
import { openTcpProbe } from './probes.ts'
import { behindRouter, isRoot, router, silent, target, unroutable } from './router.fixture.ts'

afterEach(closeListeners)

const context = { signal: new AbortController().signal, monotonic: clock.monotonic }
const hosts = [
  ['127.0.0.1', 0x0800],
  ['::1', 0x86dd],
] as const

/** Without the capability the reason is the result, and must name it. */
async function captureOf(target: { address: string; port: number | null }): Promise<ReadPacket[] | null> {
  const result = await captureAttempt(target, context)
  if ('pcapDataUrl' in result) return readPcap(result.pcapDataUrl)
  expect(result.captureError).toMatch(/CAP_NET_RAW|not made for/)
  return null
}

describe('a capture', () => {
  it.each(hosts)(
    'shows the handshake and the greeting of the server, on %s',
    async (address, linkProtocol) => {
      const server = createServer((socket) => socket.end('220 ready\r\n'))
      const port = await listen(server, address)
      const packets = await captureOf({ address, port })
      if (!packets) return
      expect(packets.slice(0, 3).map(({ flags }) => flags)).toEqual(['S', 'SA', 'A'])
      expect(packets[0]).toMatchObject({ linkProtocol, targetPort: port })
      expect(Math.abs((packets[0]?.seconds ?? 0) - Date.now() / 1000)).toBeLessThan(60)
    },
  )

  it.each(hosts)('shows a refusal on %s', async (address) => {
    const port = await listen(createServer(), address)
    await closeListeners()
    const packets = await captureOf({ address, port })
    if (packets) expect(packets.map(({ flags }) => flags)).toEqual(['S', 'RA'])
  })

  it.each(hosts)('shows a ping to %s and its reply, but no other ping', async (address, linkProtocol) => {
    const others = { address, count: 20, intervalMs: 5, timeoutMs: 1000 }
    const [packets] = await Promise.all([captureOf({ address, port: null }), ping(others, context)])
    if (!packets) return
    expect(packets).toHaveLength(2)
    expect(packets[0]).toMatchObject({ linkProtocol, protocol: address === '::1' ? 58 : 1 })
  })

  it('holds nothing of another connection to the same target', async () => {
    const port = await listen(createServer((socket) => socket.on('data', () => socket.end('a response'))))
    const address = '127.0.0.1'
    const probe = await openTcpProbe({ address, port, ttl: null, timeoutMs: 5000 })
    const subject = { protocol: 'TCP', address, port, localPort: probe.localPort } as const
    const capture = await openPacketCapture(subject).catch((error) => error as NodeJS.ErrnoException)
    if (capture instanceof Error) {
      probe.close()
      return expect(capture.code).toBe('EPERM')
    }
    const other = connect(port, address, () => other.write('Authorization: their secret'))
    await new Promise((resolve) => other.resume().once('close', resolve))
    await probe.run(context)
    await expect.poll(() => capture.count).toBeGreaterThan(2)
    const packets = readPcapFile(capture.stop(65_536))
    const ports = packets.map(({ sourcePort, targetPort }) => (sourcePort === port ? targetPort : sourcePort))
    expect(new Set(ports)).toEqual(new Set([probe.localPort]))
    expect(packets.map(({ payload }) => payload).join('')).not.toContain('their')
  })

  it('is cut to whole packets', async () => {
    const port = await listen(createServer())
    const address = '127.0.0.1'
    const probe = await openTcpProbe({ address, port, ttl: 9, timeoutMs: 5000 })
    const subject = { protocol: 'TCP', address, port, localPort: probe.localPort } as const
    const capture = await openPacketCapture(subject).catch((error) => error as NodeJS.ErrnoException)
    if (capture instanceof Error) {
      probe.close()
      return expect(capture.code).toBe('EPERM')
    }
    await probe.run(context)
    await expect.poll(() => capture.count).toBeGreaterThan(2)
    const packets = readPcapFile(capture.stop(150))
    expect(packets).toHaveLength(1)
    expect(packets[0]).toMatchObject({ flags: 'S', ttl: 9 })
  })
})

describe.runIf(isRoot)('a capture behind a router', () => {
  it('shows the ICMP errors of routers about the connection or the ping', async ({ skip }) => {
    const captures = await behindRouter<CapturedAttempt[]>(
      `const { captureAttempt } = await import(${JSON.stringify(new URL('./capture-attempt.ts', import.meta.url).href)})
      const result = []
      for (const [address, port] of ${JSON.stringify([
        [unroutable, 9],
        [unroutable, null],
        [target, 9],
        [silent, 9],
      ])}) result.push(await captureAttempt({ address, port }, context))`,
      { isUnprivileged: false },
    )
    if (typeof captures === 'string') return skip(captures)
    const seen = captures.map((capture) =>
      'pcapDataUrl' in capture ? readPcap(capture.pcapDataUrl) : [capture.captureError],
    )
    // Sent again after a second, and on a busy machine after three: how often is the kernel's business.
    const sentAgain = seen.pop() ?? []
    expect(sentAgain.length).toBeGreaterThan(1)
    for (const packet of sentAgain) expect(packet).toMatchObject({ flags: 'S', target: silent })
    expect(seen).toMatchObject([
      [
        { protocol: 6, flags: 'S', target: unroutable },
        { protocol: 1, source: router },
      ],
      [
        { protocol: 1, target: unroutable },
        { protocol: 1, source: router },
      ],
      [{ flags: 'S' }, { flags: 'RA', source: target }],
    ])
  })
})
