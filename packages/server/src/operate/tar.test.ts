import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readTar, tarEnd, tarHeader, tarPadding } from './tar.ts'

const entries = [
  { name: 'empty', bytes: Buffer.alloc(0) },
  { name: 'a/short name', bytes: Buffer.from('x'.repeat(511)) },
  { name: 'exactly/one/block', bytes: Buffer.from('y'.repeat(512)) },
  { name: `${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(99)}`, bytes: Buffer.from('a split name') },
  { name: `long/${'ü'.repeat(120)}.zip`, bytes: Buffer.from('a pax name') },
]
const archive = Buffer.concat([
  ...entries.flatMap(({ name, bytes }) => [
    tarHeader(name, bytes.length, 1e9),
    bytes,
    tarPadding(bytes.length),
  ]),
  tarEnd,
])

describe('tar', () => {
  it.each([1, 7, 512, 100_000])('reads back what it wrote, from pieces of %i bytes', async (size) => {
    const read: { name: string; bytes: Buffer }[] = []
    for await (const { name, content } of readTar(inPieces(archive, size))) {
      const chunks: Buffer[] = []
      for await (const chunk of content) chunks.push(chunk)
      read.push({ name, bytes: Buffer.concat(chunks) })
    }
    expect(read).toEqual(entries)
  })

  it('passes over what is not read', async () => {
    const names: string[] = []
    for await (const { name } of readTar(inPieces(archive, 1000))) names.push(name)
    expect(names).toEqual(entries.map(({ name }) => name))
  })

  it('is a tar to other programs too', () => {
    const options = { input: archive, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
    const listed = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], options)
    expect(listed.toString().trim().split('\n')).toEqual(entries.map(({ name }) => name))
  })

  it.each([
    ['cut off in a header', archive.subarray(0, 700), /cut off/],
    ['cut off in a file', archive.subarray(0, 1100), /cut off/],
    ['something else', Buffer.from('not a tar '.repeat(100)), /not a tar/],
  ])('refuses what is %s', async (_, bytes, message) => {
    const readAll = async () => {
      for await (const _ of readTar(inPieces(bytes, 100)));
    }
    await expect(readAll()).rejects.toThrow(message)
  })
})

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
