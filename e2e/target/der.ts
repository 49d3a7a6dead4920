// The DER encodings that a certificate needs.

export type Der = Buffer

export function der(tag: number, ...contents: (Buffer | string)[]): Der {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 128) return Buffer.from([length])
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

export const sequence = (...parts: Der[]) => der(0x30, ...parts)
export const set = (...parts: Der[]) => der(0x31, ...parts)
export const octets = (content: Buffer) => der(0x04, content)
export const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content)
export const yes = der(0x01, Buffer.from([0xff]))
export const utf8 = (text: string) => der(0x0c, text)

/** Positive. */
export function integer(value: Buffer): Der {
  return der(0x02, (value[0] ?? 0) < 0x80 ? value : Buffer.concat([Buffer.from([0]), value]))
}

export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** GeneralizedTime, which goes beyond 2049. */
export function time(date: Date): Der {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x18, digits)
}
