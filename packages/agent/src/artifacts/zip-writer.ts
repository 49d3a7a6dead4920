// Writes a zip archive member by member: stored or deflated, with sizes in the local headers.
import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'
import type { ZipMember } from './zip-reader.ts'

const smallBytes = 512 * 1024
const utf8Names = 0x0800

export class ZipWriter {
  readonly #out: Spool
  readonly #tempFolder: string
  readonly #directory: Buffer[] = []

  constructor(tempFolder: string) {
    this.#tempFolder = tempFolder
    this.#out = new Spool(tempFolder)
  }

  /** Copies packed bytes of another archive. */
  async copy(member: ZipMember, packed: AsyncIterable<Buffer>): Promise<void> {
    await this.#header(member)
    for await (const chunk of packed) await this.#out.write(chunk)
  }

  async add(
    { name, time, method }: Pick<ZipMember, 'name' | 'time' | 'method'>,
    source: ByteSource,
  ): Promise<void> {
    let crc = 0
    if (method === 0 || source.size <= smallBytes) {
      const all = source.size <= smallBytes ? await source.read(0, source.size) : null
      if (all) crc = crc32(all)
      else for await (const chunk of chunksOf(source)) crc = crc32(chunk, crc)
      const packed = all && method === 8 ? deflateRawSync(all) : all
      const packedBytes = packed?.length ?? source.size
      await this.#header({ name, time, method, crc, packedBytes, bytes: source.size })
      if (packed) return this.#out.write(packed)
      for await (const chunk of chunksOf(source)) await this.#out.write(chunk)
      return
    }
    const packed = new Spool(this.#tempFolder)
    const counted = async function* () {
      for await (const chunk of chunksOf(source)) {
        crc = crc32(chunk, crc)
        yield chunk
      }
    }
    const deflate = createDeflateRaw()
    pipeline(Readable.from(counted()), deflate, () => undefined)
    try {
      for await (const chunk of deflate) await packed.write(chunk)
      await this.#header({ name, time, method, crc, packedBytes: packed.size, bytes: source.size })
      for await (const chunk of chunksOf(await packed.finish())) await this.#out.write(chunk)
    } finally {
      await packed.discard()
    }
  }

  async finish(): Promise<ByteSource> {
    const at = this.#out.size
    const directory = Buffer.concat(this.#directory)
    await this.#out.write(directory)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(this.#directory.length, 8)
    end.writeUInt16LE(this.#directory.length, 10)
    end.writeUInt32LE(directory.length, 12)
    end.writeUInt32LE(at, 16)
    await this.#out.write(end)
    return this.#out.finish()
  }

  async discard(): Promise<void> {
    await this.#out.discard()
  }

  async #header(member: Omit<ZipMember, 'at'>): Promise<void> {
    const name = Buffer.from(member.name)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(utf8Names, 2)
    shared.writeUInt16LE(member.method, 4)
    shared.writeUInt32LE(member.time, 6)
    shared.writeUInt32LE(member.crc, 10)
    shared.writeUInt32LE(member.packedBytes, 14)
    shared.writeUInt32LE(member.bytes, 18)
    shared.writeUInt16LE(name.length, 22)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 4)
    shared.copy(entry, 6)
    entry.writeUInt32LE(this.#out.size, 42)
    this.#directory.push(Buffer.concat([entry, name]))
    await this.#out.write(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name]))
  }
}
