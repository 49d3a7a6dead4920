// Builds output files of runs, and extracts every string from one, however it is packed.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { createScrubber } from '../scrub/scrub.ts'
import { chunksOf, memorySource } from './byte-source.ts'
import type { OutputFile } from './output-file.ts'
import { type ScrubFileOptions, scrubFile } from './scrub-file.ts'
import { openZip, writeZip } from './zip-archive.ts'

type Content = string | Buffer

export interface Scrubbed {
  /** Null: it is not kept. */
  bytes: Buffer | null
  isSame: boolean
  name: string | undefined
  notes: string[]
}

export async function scrubbedFile(
  name: string,
  content: Content,
  secrets: string[],
  type: OutputFile['type'] = 'file',
  more: Partial<ScrubFileOptions> = {},
): Promise<Scrubbed> {
  return inFolder(async (folder) => {
    const path = join(folder, 'given')
    await writeFile(path, content)
    const file: OutputFile = { type, name, path, contentType: 'application/octet-stream' }
    const { file: kept, notes } = await scrubFile(file, createScrubber(secrets), {
      tempFolder: folder,
      ...more,
    })
    const bytes = kept && (await readFile(kept.path))
    return { bytes, isSame: kept?.path === path, name: kept?.name, notes }
  })
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'vedette-scrub-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

export async function zipOf(members: [name: string, content: Content][], method: 0 | 8 = 8): Promise<Buffer> {
  const like = { compressionMethod: method, getLastModDate: () => new Date(2020, 0, 1) }
  const made = await writeZip(tmpdir(), async (add) => {
    for (const [name, content] of members) await add(name, memorySource(Buffer.from(content)), like)
  })
  const bytes = await bytesOf(chunksOf(made))
  await made.close()
  return bytes
}

export async function membersOf(zip: Buffer): Promise<Map<string, Buffer>> {
  const { members: entries, read } = await openZip(memorySource(zip), 10_000)
  const members = new Map<string, Buffer>()
  for (const entry of entries) members.set(entry.fileName, await bytesOf(read(entry)))
  return members
}

export function tarOf(members: [name: string, content: Content][]): Buffer {
  const blocks = members.flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        ', 148)
    header.write('0', 156)
    header.write('ustar\x0000', 257)
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export const gzipOf = (content: Content) => gzipSync(content)

export async function reportPage(members: [name: string, content: Content][]): Promise<string> {
  const packed = (await zipOf(members)).toString('base64')
  const program = 'const mark = "data:application/zip;base64,"; start(mark)'
  const page = `<script>${program}</script><template id="report">data:application/zip;base64,${packed}</template>`
  return `<html>${page}</html>\n`
}

export function pngOf(parts: [type: string, data: Content][]): Buffer {
  const header = Buffer.from('0000000100000001080200000000', 'hex').subarray(0, 13)
  const all: [string, Content][] = [
    ['IHDR', header],
    ...parts,
    ['IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))],
    ['IEND', ''],
  ]
  const chunks = all.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), Buffer.from(data)])
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(body.length - 4)
    crc.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, crc])
  })
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

/** Names and contents, unpacked as far as there is something to unpack. */
export async function everyText(bytes: Buffer): Promise<string[]> {
  const text = bytes.toString('latin1')
  const texts = [text, bytes.toString('utf8')]
  if (text.startsWith('PK')) {
    for (const [name, content] of await membersOf(bytes)) texts.push(name, ...(await everyText(content)))
  }
  if (text.startsWith('\x1f\x8b')) texts.push(...(await everyText(gunzipSync(bytes))))
  for (const [, packed] of text.matchAll(/data:application\/zip;base64,([A-Za-z0-9+/=]+)/g)) {
    texts.push(...(await everyText(Buffer.from(packed ?? '', 'base64'))))
  }
  return texts
}
