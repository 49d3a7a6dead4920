// Stores results on disk until the server has them, in append-only files that are synchronized before a result is sent. The
// results are scrubbed; jobs, which contain secrets, are never written. A line is either a result (JSON, which begins with a
// brace and has no line break) or an acknowledgment: `=<segment>:<offset>,<offset>`.
import { chmod, type FileHandle, mkdir, open, readdir, readFile, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from '../core/folder-lock.ts'
import { parseJson } from '../core/parse-json.ts'

/** One file. */
interface Segment {
  number: number
  file: string
  size: number
  /** Offsets of results that aren't acknowledged. */
  live: Set<number>
}

/** Where a result is stored. */
export interface JournalPosition {
  segment: Segment
  offset: number
  length: number
}

interface StoredResult {
  position: JournalPosition
  token: string
}

/** Null: another agent uses this directory. */
export async function openJournal(dataDir: string, segmentBytes = 8_000_000): Promise<Journal | null> {
  const lock = await lockFolder(dataDir)
  if (!lock) return null
  try {
    const folder = join(dataDir, 'journal')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const { left, next } = await replay(folder)
    return new Journal(folder, lock, left, next, segmentBytes)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function replay(folder: string): Promise<{ left: StoredResult[]; next: number }> {
  const names = (await readdir(folder)).filter((name) => /^\d{10}\.jsonl$/.test(name)).sort()
  const numbers = names.map((name) => Number.parseInt(name, 10))
  const segments = new Map(numbers.map((number) => [number, segmentAt(folder, number)]))
  const stored: StoredResult[] = []
  for (const segment of segments.values()) {
    const { results, acknowledged } = await readSegment(segment)
    for (const { position } of results) segment.live.add(position.offset)
    stored.push(...results)
    for (const { number, offset } of acknowledged) segments.get(number)?.live.delete(offset)
  }
  for (const { live, file } of segments.values()) if (live.size === 0) await unlink(file)
  const left = stored.filter(({ position }) => position.segment.live.has(position.offset))
  return { left, next: (numbers.at(-1) ?? 0) + 1 }
}

function segmentAt(folder: string, number: number): Segment {
  const file = join(folder, `${String(number).padStart(10, '0')}.jsonl`)
  return { number, file, size: 0, live: new Set() }
}

/** Skips incomplete and invalid lines: their write was never confirmed. */
async function readSegment(segment: Segment) {
  const bytes = await readFile(segment.file)
  const results: StoredResult[] = []
  const acknowledged: { number: number; offset: number }[] = []
  let offset = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, offset)) {
    const line = bytes.toString('utf8', offset, end)
    const [, number, offsets = ''] = /^=(\d+):([\d,]+)$/.exec(line) ?? []
    if (number !== undefined)
      for (const one of offsets.split(',')) acknowledged.push({ number: Number(number), offset: Number(one) })
    else {
      const result = parseJson(line)
      if (typeof result === 'object' && result && 'token' in result && typeof result.token === 'string')
        results.push({ position: { segment, offset, length: end - offset }, token: result.token })
    }
    offset = end + 1
  }
  segment.size = bytes.length
  return { results, acknowledged }
}

const lineEnd = Buffer.from('\n')

/** With less free space the agent claims no runs, since the current runs need it. */
const reserveBytes = 8_000_000
const reserveShare = 0.1

export class Journal {
  /** Results of an earlier process, in their order. */
  readonly left: readonly StoredResult[]
  readonly #folder: string
  readonly #lock: FolderLock
  readonly #segmentBytes: number
  #next: number
  #active: { segment: Segment; file: FileHandle } | null = null
  /** The last operation: each one waits for the one before it. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, lock: FolderLock, left: StoredResult[], next: number, segmentBytes: number) {
    this.#folder = folder
    this.#lock = lock
    this.left = left
    this.#next = next
    this.#segmentBytes = segmentBytes
  }

  /** Resolves when all lines are on disk; throws if none was written. */
  append(lines: readonly Buffer[]): Promise<JournalPosition[]> {
    return this.#serialize(async () => {
      const { segment, file } = await this.#openSegment()
      let offset = segment.size
      const positions = lines.map((line): JournalPosition => {
        const position = { segment, offset, length: line.length }
        offset += position.length + 1
        return position
      })
      try {
        await file.appendFile(Buffer.concat(lines.flatMap((line) => [line, lineEnd])))
        await file.datasync()
      } catch (error) {
        await this.#truncate(segment.size)
        throw error
      }
      segment.size = offset
      for (const position of positions) segment.live.add(position.offset)
      return positions
    })
  }

  async read({ segment, offset, length }: JournalPosition): Promise<Buffer> {
    const file = await open(segment.file, 'r')
    try {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await file.read(bytes, 0, length, offset)
      if (bytesRead !== length) throw new Error(`${segment.file} is shorter than expected`)
      return bytes
    } finally {
      await file.close()
    }
  }

  acknowledge(positions: readonly JournalPosition[]): Promise<void> {
    return this.#serialize(async () => {
      const bySegment = Map.groupBy(positions, ({ segment }) => segment)
      for (const { segment, offset } of positions) segment.live.delete(offset)
      for (const [segment, acknowledged] of bySegment) await this.#forget(segment, acknowledged)
    })
  }

  /** Throws if there is little free disk space, which the current runs need. */
  async checkFreeSpace(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder)
    if (bavail * bsize >= Math.min(reserveBytes, blocks * bsize * reserveShare)) return
    throw Object.assign(new Error(`there is little free disk space in ${this.#folder}`), { code: 'ENOSPC' })
  }

  /** Throws if a typical batch doesn't fit: writes it and removes it again. */
  probe(): Promise<void> {
    return this.#serialize(async () => {
      const { segment, file } = await this.#openSegment()
      try {
        await file.appendFile(Buffer.alloc(64_000, '\n'))
        await file.datasync()
      } finally {
        await this.#truncate(segment.size)
      }
    })
  }

  close(): Promise<void> {
    return this.#serialize(async () => {
      const active = this.#active
      this.#active = null
      await active?.file.close()
      if (active?.segment.live.size === 0) await unlink(active.segment.file)
      await this.#lock.release()
    })
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #openSegment(): Promise<{ segment: Segment; file: FileHandle }> {
    if (this.#active && this.#active.segment.size < this.#segmentBytes) return this.#active
    const full = this.#active
    const segment = segmentAt(this.#folder, this.#next)
    const file = await open(segment.file, 'ax', 0o600)
    this.#next += 1
    this.#active = { segment, file }
    await full?.file.close()
    const folder = await open(this.#folder, 'r')
    await folder.sync().finally(() => folder.close())
    return this.#active
  }

  /** After a failed write, an incomplete line must not swallow the beginning of the next one. */
  async #truncate(size: number): Promise<void> {
    const active = this.#active
    try {
      await active?.file.truncate(size)
    } catch {
      this.#active = null
      await active?.file.close().catch(() => undefined)
    }
  }

  /** Not synchronized: a lost acknowledgment only causes a second delivery, which is harmless. */
  async #forget(segment: Segment, acknowledged: readonly JournalPosition[]): Promise<void> {
    const active = this.#active
    const isDone = segment.live.size === 0
    try {
      if (isDone && active?.segment === segment) {
        await active.file.truncate(0)
        segment.size = 0
      } else if (isDone) await unlink(segment.file)
      else if (active) {
        const line = `=${segment.number}:${acknowledged.map(({ offset }) => offset).join(',')}\n`
        await active.file.appendFile(line)
        active.segment.size += line.length
      }
    } catch {
      if (active) await this.#truncate(active.segment.size)
    }
  }
}
