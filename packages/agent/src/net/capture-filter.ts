// The kernel's filter of a packet capture, as classic BPF: the packets of one connection, or of the pings with one token,
// and the ICMP errors about them. It excludes packets of other runs, except errors about other pings to the same host: routers
// need not quote the token.
import { isIPv6 } from 'node:net'

export type CaptureSubject =
  | { protocol: 'TCP'; address: string; port: number; localPort: number }
  | { protocol: 'ICMP'; address: string; token: Buffer }

/** A packet passes if every condition of one alternative holds. */
type Condition = { load: Instruction[]; equals: number }
type Instruction = { code: number; jt?: number; jf?: number; k: number }

/** Offsets start at the IP header, as in a cooked packet socket. Each instruction has 8 bytes. */
export function captureFilter(subject: CaptureSubject): Buffer {
  const alternatives = isIPv6(subject.address) ? ipv6(subject) : ipv4(subject)
  const instructions = alternatives.flatMap((conditions) => {
    const code = conditions.flatMap(({ load, equals }) => [...load, { code: jumpIfEqual, k: equals }])
    const block = [...code, { code: accept, k: 0xffff }]
    // A condition that fails jumps to the next alternative, after this block.
    return block.map((instruction, at) =>
      instruction.code === jumpIfEqual ? { ...instruction, jt: 0, jf: block.length - at - 1 } : instruction,
    )
  })
  const program: Instruction[] = [...instructions, { code: accept, k: 0 }]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, jt = 0, jf = 0, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jt, index * 8 + 2)
    bytes.writeUInt8(jf, index * 8 + 3)
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4)
  }
  return bytes
}

const jumpIfEqual = 0x15
const accept = 0x06
const etherType: Instruction = { code: 0x28, k: 0xfffff000 }
const word = (k: number): Instruction => ({ code: 0x20, k })
const half = (k: number): Instruction => ({ code: 0x28, k })
const byte = (k: number): Instruction => ({ code: 0x30, k })
/** An offset after the IPv4 header, whose length varies. */
const payload = (code: 0x40 | 0x48 | 0x50, k: number): Instruction[] => [
  { code: 0xb1, k: 0 },
  { code, k },
]

const is = (load: Instruction | Instruction[], equals: number): Condition => ({ load: [load].flat(), equals })

function ipv4(subject: CaptureSubject): Condition[][] {
  const host = Buffer.from(subject.address.split('.').map(Number)).readUInt32BE()
  const isIpv4 = is(etherType, 0x0800)
  const protocol = (number: number) => [isIpv4, is(byte(9), number)]
  const quoted = (number: number) => [
    ...protocol(1),
    is(payload(0x40, 8 + 16), host),
    is(payload(0x50, 8 + 9), number),
  ]
  if (subject.protocol === 'ICMP') {
    const token = tokenWords(subject).map((value, index) => is(payload(0x40, 8 + index * 4), value))
    return [
      [...protocol(1), is(word(16), host), is(payload(0x50, 0), 8), ...token],
      [...protocol(1), is(word(12), host), is(payload(0x50, 0), 0), ...token],
      quoted(1),
    ]
  }
  const { port, localPort } = subject
  return [
    [...protocol(6), is(word(16), host), is(payload(0x48, 0), localPort), is(payload(0x48, 2), port)],
    [...protocol(6), is(word(12), host), is(payload(0x48, 0), port), is(payload(0x48, 2), localPort)],
    [...quoted(6), is(payload(0x48, 8 + 20), localPort), is(payload(0x48, 8 + 22), port)],
  ]
}

function ipv6(subject: CaptureSubject): Condition[][] {
  const words = wordsOf(subject.address)
  const host = (at: number) => words.map((value, index) => is(word(at + index * 4), value))
  const protocol = (number: number) => [is(etherType, 0x86dd), is(byte(6), number)]
  const quoted = (number: number) => [...protocol(58), ...host(48 + 24), is(byte(48 + 6), number)]
  if (subject.protocol === 'ICMP') {
    const token = tokenWords(subject).map((value, index) => is(word(48 + index * 4), value))
    return [
      [...protocol(58), ...host(24), is(byte(40), 128), ...token],
      [...protocol(58), ...host(8), is(byte(40), 129), ...token],
      quoted(58),
    ]
  }
  const { port, localPort } = subject
  return [
    [...protocol(6), ...host(24), is(half(40), localPort), is(half(42), port)],
    [...protocol(6), ...host(8), is(half(40), port), is(half(42), localPort)],
    [...quoted(6), is(half(88), localPort), is(half(90), port)],
  ]
}

function tokenWords({ token }: { token: Buffer }): number[] {
  return [token.readUInt32BE(0), token.readUInt32BE(4)]
}

/** The four 32-bit words of an IPv6 address, whichever way it is written. */
function wordsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname
    .slice(1, -1)
    .split('::')
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((text) => Number.parseInt(text, 16))
  const [front, back] = [parse(head), parse(tail ?? '')]
  const halves = [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
  return [0, 2, 4, 6].map((at) => (halves[at] ?? 0) * 0x10000 + (halves[at + 1] ?? 0))
}
