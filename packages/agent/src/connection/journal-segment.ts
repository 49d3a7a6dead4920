// One file of the journal. A line is either a result (JSON, which begins with a brace and has no line break) or an
// acknowledgment: `=<segment>:<offset>,<offset>`.
import { type FileHandle, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

export interface Segment {
  number: number
  file: string
  size: number
  /** Offsets of results that aren't acknowledged. */
  live: Set<number>
}

export interface Line {
  offset: number
  length: number
}

export function segmentAt(folder: string, number: number): Segment {
  const file = join(folder, `${String(number).padStart(10, '0')}.jsonl`)
  return { number, file, size: 0, live: new Set() }
}

export function segmentNumber(name: string): number | null {
  const match = /^(\d{10})\.jsonl$/.exec(name)
  return match ? Number(match[1]) : null
}

export interface SegmentContent {
  results: { line: Line; token: string }[]
  acknowledged: { segment: number; offset: number }[]
}

/** Skips incomplete and invalid lines: their write was never confirmed. */
export async function readSegment(segment: Segment): Promise<SegmentContent> {
  const bytes = await readFile(segment.file)
  const read: SegmentContent = { results: [], acknowledged: [] }
  let offset = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, offset)) {
    const line = bytes.toString('utf8', offset, end)
    if (line.startsWith('=')) read.acknowledged.push(...parseAcknowledgment(line))
    else {
      const token = tokenOf(line)
      if (token !== null) read.results.push({ line: { offset, length: end - offset }, token })
    }
    offset = end + 1
  }
  segment.size = bytes.length
  return read
}

export function formatAcknowledgment(segment: Segment, offsets: readonly number[]): string {
  return `=${segment.number}:${offsets.join(',')}\n`
}

function parseAcknowledgment(line: string): SegmentContent['acknowledged'] {
  const match = /^=(\d+):([\d,]+)$/.exec(line)
  if (!match) return []
  return (match[2] ?? '').split(',').map((offset) => ({ segment: Number(match[1]), offset: Number(offset) }))
}

function tokenOf(line: string): string | null {
  try {
    const { token }: { token?: unknown } = JSON.parse(line)
    return typeof token === 'string' ? token : null
  } catch {
    return null
  }
}

/** Writes all bytes. A full file system writes a part of them before it reports an error. */
export async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    if (bytesWritten === 0) throw Object.assign(new Error('no bytes were written'), { code: 'ENOSPC' })
    written += bytesWritten
  }
}

export async function readLine(segment: Segment, { offset, length }: Line): Promise<string> {
  const file = await open(segment.file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    if (bytesRead !== length) throw new Error(`${segment.file} is shorter than expected`)
    return bytes.toString('utf8')
  } finally {
    await file.close()
  }
}

export async function removeSegment({ file }: Segment): Promise<void> {
  await unlink(file)
}
