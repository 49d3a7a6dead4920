// The part of the DNS wire format that the name server of the stories needs.
import { isIPv6 } from 'node:net'

const types = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const

export type RecordType = keyof typeof types
export type ReturnCode = keyof typeof codes

const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

export interface Question {
  id: number
  name: string
  type: RecordType | null
  /** The question in wire format: a response repeats it. */
  bytes: Buffer
}

export function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const code = message.readUInt16BE(at + 1)
  const type = Object.entries(types).find(([, number]) => number === code)?.[0] as RecordType | undefined
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: type ?? null,
    bytes: message.subarray(12, at + 5),
  }
}

/** Values as in zone files: an address, a name, `10 mail.example.test`, a text. */
export function writeAnswer(question: Question, code: ReturnCode, values: readonly string[]): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(question.id, 0)
  // A response with recursion desired and available.
  head.writeUInt16BE(0x8180 | codes[code], 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(values.length, 6)
  const records = values.map((value) => recordOf(question.type ?? 'A', value))
  return Buffer.concat([head, question.bytes, ...records])
}

function recordOf(type: RecordType, value: string): Buffer {
  const data = dataOf(type, value)
  const head = Buffer.alloc(12)
  // The name is that of the question, at offset 12.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(types[type], 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(300, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function dataOf(type: RecordType, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number))
  if (type === 'AAAA') return addressBytes(value)
  if (type === 'TXT') return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  if (type !== 'MX') return nameBytes(value)
  const [priority = '0', exchange = ''] = value.split(' ')
  return Buffer.concat([Buffer.from([0, Number(priority)]), nameBytes(exchange)])
}

function nameBytes(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) throw new Error(`${address} isn't an IPv6 address`)
  const [head = '', tail] = address.split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':'))
  const last = words(tail ?? '')
  const gap = tail === undefined ? 0 : 8 - words(head).length - last.length
  const all = [...words(head), ...Array<string>(gap).fill('0'), ...last]
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex')
}
