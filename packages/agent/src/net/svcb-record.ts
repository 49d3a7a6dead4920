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
  6: ['ipv6hint', (value) => chunksOf(value, 16).map(ipv6).join(',')],
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

function ipv6(bytes: Buffer): string {
  const words = chunksOf(bytes, 2).map((pair) => pair.readUInt16BE(0).toString(16))
  return new URL(`http://[${words.join(':')}]/`).hostname.slice(1, -1)
}
