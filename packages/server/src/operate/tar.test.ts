import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readTar, type TarEntry, writeTar } from './tar.ts'

const entries = [
  { name: 'empty', bytes: Buffer.alloc(0) },
  { name: 'a/short name', bytes: Buffer.from('x'.repeat(511)) },
  { name: 'exactly/one/block', bytes: Buffer.from('y'.repeat(512)) },
  { name: `${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(99)}`, bytes: Buffer.from('a split name') },
  { name: `long/${'ü'.repeat(120)}.zip`, bytes: Buffer.from('a pax name') },
]
const archive = await bytesOf(writeTar(tarEntries()))

describe('tar', () => {
  it.each([1, 7, 512, 100_000])('reads what it wrote, from chunks of %i bytes', async (size) => {
    const read: { name: string; bytes: Buffer }[] = []
    for await (const { name, content } of readTar(inPieces(archive, size))) {
      read.push({ name, bytes: await bytesOf(content) })
    }
    expect(read).toEqual(entries)
  })

  it('skips content that is not read', async () => {
    const names: string[] = []
    for await (const { name } of readTar(inPieces(archive, 1000))) names.push(name)
    expect(names).toEqual(entries.map(({ name }) => name))
  })

  it('can be read by other programs', () => {
    const options = { input: archive, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
    const listed = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], options)
    expect(listed.toString().trim().split('\n')).toEqual(entries.map(({ name }) => name))
  })

  it.each([
    ['cut off in a header', archive.subarray(0, 700), /Unexpected end of data/],
    ['cut off in a file', archive.subarray(0, 1100), /Unexpected end of data/],
    ['something else', Buffer.from('not a tar '.repeat(100)), /Invalid tar header/],
  ])('refuses what is %s', async (_, bytes, message) => {
    const readAll = async () => {
      for await (const _ of readTar(inPieces(bytes, 100)));
    }
    await expect(readAll()).rejects.toThrow(message)
  })
})

it('does not write an entry whose content has another size than announced', async () => {
  const lying = async function* (): AsyncGenerator<TarEntry> {
    yield { name: 'short', size: 10, content: inPieces(Buffer.from('four'), 4) }
  }
  await expect(bytesOf(writeTar(lying()))).rejects.toThrow('Size mismatch')
})

it('passes on an error of the entries', async () => {
  const unreadable = async function* (): AsyncGenerator<TarEntry> {
    yield { name: 'fine', size: 4, content: inPieces(Buffer.from('four'), 4) }
    throw new Error('unreadable')
  }
  await expect(bytesOf(writeTar(unreadable()))).rejects.toThrow('unreadable')
})

async function* tarEntries(): AsyncGenerator<TarEntry> {
  for (const { name, bytes } of entries) yield { name, size: bytes.length, content: inPieces(bytes, 100) }
}

async function bytesOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
