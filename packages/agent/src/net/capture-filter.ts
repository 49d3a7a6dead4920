// The kernel's filter of a packet capture, as classic BPF: the packets of one connection, or of the pings with one token,
// and the ICMP errors about them. It excludes packets of other runs, except errors about other pings to the same host: routers
// need not quote the token.
import { familyOf } from './c-socket.ts'
import { echoTypes } from './icmp-packet.ts'

export type CaptureSubject =
  | { protocol: 'TCP'; address: string; port: number; localPort: number }
  | { protocol: 'ICMP'; address: string; token: Buffer }

/** A packet passes if every condition of one alternative holds. */
type Condition = { load: Instruction[]; equals: number }
type Instruction = { code: number; jt?: number; jf?: number; k: number }

/** Offsets start at the IP header, as in a cooked packet socket. Each instruction has 8 bytes. `host`: the address as bytes. */
export function captureFilter(subject: CaptureSubject, host: Buffer): Buffer {
  const instructions = alternativesOf(subject, host).flatMap((conditions) => {
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
const etherType: Instruction[] = [{ code: 0x28, k: 0xfffff000 }]

/** Codes that load from an offset; 0x20 more: from an offset after the IPv4 header, whose length varies. */
const word = 0x20
const half = 0x28
const byte = 0x30

type Load = (size: typeof word | typeof half | typeof byte, at: number) => Instruction[]

const fromIpHeader: Load = (code, k) => [{ code, k }]

/** Offsets of the IP header's fields, and its length without options. */
const layouts = {
  4: {
    type: 0x0800,
    protocol: 9,
    source: 12,
    target: 16,
    length: 20,
    icmp: 1,
    fromPayload: ((code, k) => [
      { code: 0xb1, k: 0 },
      { code: code + 0x20, k },
    ]) satisfies Load,
  },
  6: {
    type: 0x86dd,
    protocol: 6,
    source: 8,
    target: 24,
    length: 40,
    icmp: 58,
    fromPayload: ((code, k) => [{ code, k: 40 + k }]) satisfies Load,
  },
}

const is = (load: Instruction[], equals: number): Condition => ({ load, equals })

function alternativesOf(subject: CaptureSubject, host: Buffer): Condition[][] {
  const family = familyOf(subject.address)
  const { type, protocol, source, target, length, icmp, fromPayload } = layouts[family]
  const hasProtocol = (number: number) => [is(etherType, type), is(fromIpHeader(byte, protocol), number)]
  const offsets = family === 4 ? [0] : [0, 4, 8, 12]
  const isHost = (load: Load, at: number) =>
    offsets.map((offset) => is(load(word, at + offset), host.readUInt32BE(offset)))
  const isQuoted = (number: number) => [
    ...hasProtocol(icmp),
    ...isHost(fromPayload, 8 + target),
    is(fromPayload(byte, 8 + protocol), number),
  ]
  if (subject.protocol === 'ICMP') {
    const { request, reply } = echoTypes[family]
    const hasToken = [0, 4].map((at) => is(fromPayload(word, 8 + at), subject.token.readUInt32BE(at)))
    return [
      [...hasProtocol(icmp), ...isHost(fromIpHeader, target), is(fromPayload(byte, 0), request), ...hasToken],
      [...hasProtocol(icmp), ...isHost(fromIpHeader, source), is(fromPayload(byte, 0), reply), ...hasToken],
      isQuoted(icmp),
    ]
  }
  const { port, localPort } = subject
  const hasPorts = (at: number, from: number, to: number) => [
    is(fromPayload(half, at), from),
    is(fromPayload(half, at + 2), to),
  ]
  return [
    [...hasProtocol(6), ...isHost(fromIpHeader, target), ...hasPorts(0, localPort, port)],
    [...hasProtocol(6), ...isHost(fromIpHeader, source), ...hasPorts(0, port, localPort)],
    [...isQuoted(6), ...hasPorts(8 + length, localPort, port)],
  ]
}
