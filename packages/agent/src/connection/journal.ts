// Stores results on disk until the server has them, in append-only files that are synchronized before a result is sent. The
// results are scrubbed; jobs, which contain secrets, are never written.
import { chmod, type FileHandle, mkdir, open, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from '../core/folder-lock.ts'
import {
  formatAcknowledgment,
  type Line,
  readLine,
  readSegment,
  removeSegment,
  type Segment,
  segmentAt,
  segmentNumber,
  writeAt,
} from './journal-segment.ts'

/** Where a result is stored. */
export interface JournalPosition extends Line {
  segment: Segment
}

export interface Journal {
  /** Results of an earlier process, in their order. */
  readonly left: readonly { position: JournalPosition; token: string }[]
  /** Resolves when all lines are on disk; throws if none was written. */
  append(lines: readonly string[]): Promise<JournalPosition[]>
  read(position: JournalPosition): Promise<string>
  acknowledge(positions: readonly JournalPosition[]): Promise<void>
  /** Throws if a typical batch doesn't fit: writes it and removes it again. */
  probe(): Promise<void>
  /** Throws if there is little free disk space, which the current runs need. */
  checkFreeSpace(): Promise<void>
  close(): Promise<void>
}

export interface JournalOptions {
  segmentBytes?: number
}

/** Null: another agent uses this directory. */
export async function openJournal(dataDir: string, options: JournalOptions = {}): Promise<Journal | null> {
  const lock = await lockFolder(dataDir)
  if (!lock) return null
  try {
    const folder = join(dataDir, 'journal')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    return await replay(folder, lock, options)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function replay(folder: string, lock: FolderLock, options: JournalOptions): Promise<Journal> {
  const numbers = (await readdir(folder)).map(segmentNumber).filter((number) => number !== null)
  const segments = new Map(numbers.sort((a, b) => a - b).map((number) => [number, segmentAt(folder, number)]))
  const stored: { position: JournalPosition; token: string }[] = []
  for (const segment of segments.values()) {
    const { results, acknowledged } = await readSegment(segment)
    for (const { line, token } of results) {
      segment.live.add(line.offset)
      stored.push({ position: { ...line, segment }, token })
    }
    for (const { segment: number, offset } of acknowledged) segments.get(number)?.live.delete(offset)
  }
  for (const segment of segments.values()) if (segment.live.size === 0) await removeSegment(segment)
  const left = stored.filter(({ position }) => position.segment.live.has(position.offset))
  return new SegmentedJournal(
    folder,
    (numbers.at(-1) ?? 0) + 1,
    left,
    lock,
    options.segmentBytes ?? 8_000_000,
  )
}

/** With less free space the agent claims no runs, since the current runs need it. */
const reserveBytes = 8_000_000
const reserveShare = 0.1

class SegmentedJournal implements Journal {
  readonly left: Journal['left']
  readonly #folder: string
  readonly #lock: FolderLock
  readonly #segmentBytes: number
  #next: number
  #active: { segment: Segment; file: FileHandle } | null = null
  /** The last operation: each one waits for the one before it. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, next: number, left: Journal['left'], lock: FolderLock, segmentBytes: number) {
    this.#folder = folder
    this.#next = next
    this.left = left
    this.#lock = lock
    this.#segmentBytes = segmentBytes
  }

  append(lines: readonly string[]): Promise<JournalPosition[]> {
    return this.#serialize(async () => {
      const { segment, file } = await this.#openSegment()
      const positions: JournalPosition[] = []
      const start = segment.size
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      let offset = start
      for (const line of lines) {
        const length = Buffer.byteLength(line)
        positions.push({ segment, offset, length })
        offset += length + 1
      }
      try {
        await writeAt(file, bytes, start)
        await file.datasync()
      } catch (error) {
        await this.#truncate(start)
        throw error
      }
      segment.size = start + bytes.length
      for (const position of positions) segment.live.add(position.offset)
      return positions
    })
  }

  read(position: JournalPosition): Promise<string> {
    return readLine(position.segment, position)
  }

  acknowledge(positions: readonly JournalPosition[]): Promise<void> {
    return this.#serialize(async () => {
      const offsets = new Map<Segment, number[]>()
      for (const { segment, offset } of positions) {
        segment.live.delete(offset)
        const known = offsets.get(segment)
        if (known) known.push(offset)
        else offsets.set(segment, [offset])
      }
      for (const [segment, acknowledged] of offsets) await this.#forget(segment, acknowledged)
    })
  }

  async checkFreeSpace(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder)
    if (bavail * bsize >= Math.min(reserveBytes, blocks * bsize * reserveShare)) return
    throw Object.assign(new Error(`there is little free disk space in ${this.#folder}`), { code: 'ENOSPC' })
  }

  probe(): Promise<void> {
    return this.#serialize(async () => {
      const { segment, file } = await this.#openSegment()
      try {
        await writeAt(file, Buffer.alloc(64_000, '\n'), segment.size)
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
      if (active?.segment.live.size === 0) await removeSegment(active.segment)
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
    const file = await open(segment.file, 'wx', 0o600)
    this.#next += 1
    this.#active = { segment, file }
    await full?.file.close()
    await syncFolder(this.#folder)
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
  async #forget(segment: Segment, acknowledged: number[]): Promise<void> {
    const active = this.#active
    const isDone = segment.live.size === 0
    try {
      if (isDone && active?.segment === segment) {
        await active.file.truncate(0)
        segment.size = 0
      } else if (isDone) await removeSegment(segment)
      else if (active) {
        const bytes = Buffer.from(formatAcknowledgment(segment, acknowledged))
        await writeAt(active.file, bytes, active.segment.size)
        active.segment.size += bytes.length
      }
    } catch {
      if (active) await this.#truncate(active.segment.size)
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
