// Results on this machine's disk until the server has them: append-only files, synchronized before anything else is
// done with a result. What is in them is scrubbed already; jobs, which hold secrets, are never written.
import { chmod, type FileHandle, mkdir, open, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from '../core/folder-lock.ts'
import {
  acknowledgement,
  type Line,
  readLine,
  readSegment,
  removeSegment,
  type Segment,
  segmentAt,
  segmentNumber,
  writeAt,
} from './journal-segment.ts'

/** Where a result lies. */
export interface Place extends Line {
  segment: Segment
}

export interface Journal {
  /** What an earlier process left, in its order. */
  readonly left: readonly { place: Place; token: string }[]
  /** On disk for good once it resolves; throws when they can't be written, and then none of them is. */
  append(lines: readonly string[]): Promise<Place[]>
  read(place: Place): Promise<string>
  acknowledge(places: readonly Place[]): Promise<void>
  /** Throws when a usual batch would not fit: tried for real, and taken back. */
  probe(): Promise<void>
  /** Throws when little is left of the disk: what runs already needs it. */
  checkRoom(): Promise<void>
  close(): Promise<void>
}

export interface JournalOptions {
  segmentBytes?: number
}

/** Null: another agent uses this folder. */
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
  const found: { place: Place; token: string }[] = []
  for (const segment of segments.values()) {
    const { results, acknowledged } = await readSegment(segment)
    for (const { line, token } of results) {
      segment.live.add(line.offset)
      found.push({ place: { ...line, segment }, token })
    }
    for (const { segment: number, offset } of acknowledged) segments.get(number)?.live.delete(offset)
  }
  for (const segment of segments.values()) if (segment.live.size === 0) await removeSegment(segment)
  const left = found.filter(({ place }) => place.segment.live.has(place.offset))
  return new SegmentedJournal(
    folder,
    (numbers.at(-1) ?? 0) + 1,
    left,
    lock,
    options.segmentBytes ?? 8_000_000,
  )
}

/** Below this nothing is claimed any more: what runs already needs room too. */
const reserveBytes = 8_000_000
const reserveShare = 0.1

class SegmentedJournal implements Journal {
  readonly left: Journal['left']
  readonly #folder: string
  readonly #lock: FolderLock
  readonly #segmentBytes: number
  #next: number
  #active: { segment: Segment; file: FileHandle } | null = null
  /** One thing at a time: each waits for the one before it. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, next: number, left: Journal['left'], lock: FolderLock, segmentBytes: number) {
    this.#folder = folder
    this.#next = next
    this.left = left
    this.#lock = lock
    this.#segmentBytes = segmentBytes
  }

  append(lines: readonly string[]): Promise<Place[]> {
    return this.#inTurn(async () => {
      const { segment, file } = await this.#writable()
      const places: Place[] = []
      const start = segment.size
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      let offset = start
      for (const line of lines) {
        const length = Buffer.byteLength(line)
        places.push({ segment, offset, length })
        offset += length + 1
      }
      try {
        await writeAt(file, bytes, start)
        await file.datasync()
      } catch (error) {
        await this.#giveUp(start)
        throw error
      }
      segment.size = start + bytes.length
      for (const place of places) segment.live.add(place.offset)
      return places
    })
  }

  read(place: Place): Promise<string> {
    return readLine(place.segment, place)
  }

  acknowledge(places: readonly Place[]): Promise<void> {
    return this.#inTurn(async () => {
      const offsets = new Map<Segment, number[]>()
      for (const { segment, offset } of places) {
        segment.live.delete(offset)
        const known = offsets.get(segment)
        if (known) known.push(offset)
        else offsets.set(segment, [offset])
      }
      for (const [segment, acknowledged] of offsets) await this.#forget(segment, acknowledged)
    })
  }

  async checkRoom(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder)
    if (bavail * bsize >= Math.min(reserveBytes, blocks * bsize * reserveShare)) return
    throw Object.assign(new Error(`little is left of the disk of ${this.#folder}`), { code: 'ENOSPC' })
  }

  probe(): Promise<void> {
    return this.#inTurn(async () => {
      const { segment, file } = await this.#writable()
      try {
        await writeAt(file, Buffer.alloc(64_000, '\n'), segment.size)
        await file.datasync()
      } finally {
        await this.#giveUp(segment.size)
      }
    })
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      const active = this.#active
      this.#active = null
      await active?.file.close()
      if (active?.segment.live.size === 0) await removeSegment(active.segment)
      await this.#lock.release()
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #writable(): Promise<{ segment: Segment; file: FileHandle }> {
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

  /** Back to this size. After a write that failed, half a line must not swallow the beginning of the next one. */
  async #giveUp(size: number): Promise<void> {
    const active = this.#active
    try {
      await active?.file.truncate(size)
    } catch {
      this.#active = null
      await active?.file.close().catch(() => undefined)
    }
  }

  /** An acknowledgement that is lost costs a second delivery, which does no harm: it is not synchronized. */
  async #forget(segment: Segment, acknowledged: number[]): Promise<void> {
    const active = this.#active
    const isDone = segment.live.size === 0
    try {
      if (isDone && active?.segment === segment) {
        await active.file.truncate(0)
        segment.size = 0
      } else if (isDone) await removeSegment(segment)
      else if (active) {
        const bytes = Buffer.from(acknowledgement(segment, acknowledged))
        await writeAt(active.file, bytes, active.segment.size)
        active.segment.size += bytes.length
      }
    } catch {
      if (active) await this.#giveUp(active.segment.size)
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
