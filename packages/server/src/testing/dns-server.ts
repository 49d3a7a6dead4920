// A name server for tests: TXT records, on loopback over UDP.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface TestDnsServer {
  /** For a resolver. */
  address: string
  /** By name. A name without records doesn't exist. */
  records: Map<string, string[]>
  /** Responds with SERVFAIL to everything. */
  isBroken: boolean
  close(): void
}

const codes = { ok: 0, failed: 2, unknownName: 3 }

export async function startDnsServer(): Promise<TestDnsServer> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server: TestDnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    isBroken: false,
    close: () => socket.close(),
  }
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query)
    const texts = server.records.get(name) ?? []
    const code = server.isBroken ? codes.failed : texts.length === 0 ? codes.unknownName : codes.ok
    const answers = code === codes.ok ? texts.map(txtRecord) : []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    // The question ends with its type and class.
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...answers]), port, address)
  })
  return server
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let offset = 12
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('ascii', offset + 1, offset + 1 + length))
    offset += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: offset + 1 }
}

/** Refers to the name of the question, and may be kept for no time. */
function txtRecord(text: string): Buffer {
  const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'ascii')])
  const fixed = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([fixed, data])
}
