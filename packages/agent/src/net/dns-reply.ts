// A DNS reply in the two forms that assertions use: JSON, and text like that of dig.
import type { Answer, DecodedPacket, RecordType } from 'dns-packet'
import { ipv6Text } from './split-server.ts'

export function replyToJson(packet: DecodedPacket) {
  return {
    Answer: recordsOf(packet.answers),
    Question: (packet.questions ?? []).map(({ name, type }) => ({
      name: qualify(name),
      type: typeName(type),
    })),
    Status: returnCodeOf(packet),
    TC: packet.flag_tc,
    RD: packet.flag_rd,
    RA: packet.flag_ra,
    AD: packet.flag_ad,
    CD: packet.flag_cd,
  }
}

export function replyToText(packet: DecodedPacket): string {
  const flags = (['qr', 'aa', 'tc', 'rd', 'ra', 'ad', 'cd'] as const).filter((flag) => packet[`flag_${flag}`])
  const section = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : ['', `;; ${title} SECTION:`, ...lines]
  const records = (answers: Answer[] | undefined) =>
    recordsOf(answers).map(({ name, TTL, type, data }) => {
      return `${name}\t${TTL}\tIN\t${type}\t${type === 'TXT' ? JSON.stringify(data) : data}`
    })
  const questions = packet.questions ?? []
  return [
    `;; opcode: QUERY, status: ${returnCodeOf(packet)}, id: ${packet.id}`,
    `;; flags: ${flags.join(' ')}`,
    ...section(
      'QUESTION',
      questions.map(({ name, type }) => `;${qualify(name)}\tIN\t${typeName(type)}`),
    ),
    ...section('ANSWER', records(packet.answers)),
    ...section('AUTHORITY', records(packet.authorities)),
    ...section('ADDITIONAL', records(packet.additionals)),
    '',
  ].join('\n')
}

/** They need the upper bits of EDNS0. */
const extendedCodes: Record<number, string> = { 16: 'BADVERS', 22: 'BADTRUNC', 23: 'BADCOOKIE' }

/** The packet library names the lower bits, but its types don't say so. */
export function returnCodeOf(packet: DecodedPacket & { rcode?: string }): string {
  const opt = packet.additionals?.find((record) => record.type === 'OPT')
  const code = ((opt?.extendedRcode ?? 0) << 4) | ((packet.flags ?? 0) & 15)
  if (code < 16) return packet.rcode?.replace('_', '') ?? ''
  return extendedCodes[code] ?? `RCODE${code}`
}

function recordsOf(answers: Answer[] = []) {
  return answers.flatMap((answer) => {
    if (answer.type === 'OPT') return []
    return {
      name: qualify(answer.name),
      type: typeName(answer.type),
      TTL: answer.ttl ?? 0,
      data: dataOf(answer),
    }
  })
}

function dataOf(answer: Exclude<Answer, { type: 'OPT' }>): string {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return answer.data
    case 'CNAME':
    case 'DNAME':
    case 'NS':
    case 'PTR':
      return qualify(answer.data)
    case 'MX':
      return `${answer.data.preference ?? 0} ${qualify(answer.data.exchange)}`
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data
      return [qualify(mname), qualify(rname), serial, refresh, retry, expire, minimum].join(' ')
    }
    case 'TXT':
      return [answer.data].flat().map(String).join('')
    default:
      return svcbOf(answer) ?? otherData(answer.data)
  }
}

/** Types that the packet library knows only by number. */
const numbered: Record<string, number> = { SVCB: 64, HTTPS: 65 }

/** The packet library's name of a type. */
export function packetType(type: RecordType | 'HTTPS'): RecordType {
  const number = numbered[type]
  return (number === undefined ? type : `UNKNOWN_${number}`) as RecordType
}

/** RFC 3597: a type without a name is shown by its number. */
function typeName(type: string): string {
  const [, number] = /^UNKNOWN_(\d+)$/.exec(type) ?? []
  if (number === undefined) return type
  return Object.keys(numbered).find((name) => numbered[name] === Number(number)) ?? `TYPE${number}`
}

function svcbOf({ type, data }: { type: string; data: unknown }): string | null {
  const isSvcb = type === 'UNKNOWN_64' || type === 'UNKNOWN_65'
  return isSvcb && Buffer.isBuffer(data) ? svcbText(data) : null
}

/** RFC 3597: data without a text form is shown as bytes. */
function otherData(data: unknown): string {
  if (Buffer.isBuffer(data)) return `\\# ${data.length} ${data.toString('hex')}`
  return typeof data === 'string' ? data : JSON.stringify(data)
}

function qualify(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

// HTTPS and SVCB records (RFC 9460) in their text form.
/** Null: the data isn't valid. */
export function svcbText(data: Buffer): string | null {
  try {
    const [target, end] = readName(data, 2)
    const parts = [`${data.readUInt16BE(0)}`, target]
    for (let at = end; at < data.length; ) {
      const length = data.readUInt16BE(at + 2)
      const value = data.subarray(at + 4, at + 4 + length)
      if (value.length < length) return null
      parts.push(parameterText(data.readUInt16BE(at), value))
      at += 4 + length
    }
    return parts.join(' ')
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** These names are never compressed (RFC 9460 §2.2). */
function readName(data: Buffer, from: number): [name: string, end: number] {
  const labels: string[] = []
  let at = from
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) {
    labels.push(data.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return [`${labels.join('.')}.`, at + 1]
}

function parameterText(key: number, value: Buffer): string {
  const [name, show] = parameters[key] ?? [`key${key}`, (bytes: Buffer) => quote(bytes.toString('latin1'))]
  return value.length === 0 ? name : `${name}=${show(value)}`
}

const parameters: Record<number, [name: string, show: (value: Buffer) => string]> = {
  0: ['mandatory', (value) => keysOf(value).join(',')],
  1: ['alpn', (value) => quote(textsOf(value).join(','))],
  2: ['no-default-alpn', () => ''],
  3: ['port', (value) => `${value.readUInt16BE(0)}`],
  4: [
    'ipv4hint',
    (value) =>
      chunksOf(value, 4)
        .map((bytes) => bytes.join('.'))
        .join(','),
  ],
  5: ['ech', (value) => value.toString('base64')],
  6: ['ipv6hint', (value) => chunksOf(value, 16).map(ipv6Text).join(',')],
}

const quote = (text: string) => JSON.stringify(text)

const keysOf = (value: Buffer) =>
  chunksOf(value, 2).map((bytes) => parameters[bytes.readUInt16BE(0)]?.[0] ?? `key${bytes.readUInt16BE(0)}`)

function textsOf(value: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < value.length; at += 1 + value.readUInt8(at)) {
    texts.push(value.toString('latin1', at + 1, at + 1 + value.readUInt8(at)))
  }
  return texts
}

function chunksOf(value: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.floor(value.length / size) }, (_, index) =>
    value.subarray(index * size, (index + 1) * size),
  )
}
