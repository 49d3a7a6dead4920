// Archives as clients upload them.
import { gzipSync } from 'node:zlib'

/** A tar in the ustar format, compressed. */
export function tarGzOf(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    return [headerOf(name, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9 })
}

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o755, 8), 100)
  header.write(octal(0, 8) + octal(0, 8), 108)
  header.write(octal(size, 12) + octal(0, 12), 124)
  header.write('        0', 148)
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
