// Writes a .tar.gz of plain files, in the given order.
import { gzipSync } from 'node:zlib'

export function tarGz(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(files).flatMap(([path, content]) => {
    const bytes = Buffer.from(content as string)
    return [header(path, bytes.length), bytes, Buffer.alloc(-bytes.length & 511)]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]))
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(512)
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at)
  block.write(path, 0, 100)
  octal(0o644, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(1_700_000_000, 136, 12)
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return block
}
