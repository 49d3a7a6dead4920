// Cursors as opaque text, the form in which clients see them.
import { invalidInput } from '@vedette/contracts'
import type { Cursor, CursorPage, CursorRequest } from '../../storage/core/cursor.ts'

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export function readCursor({ limit, nextId }: { limit: number; nextId?: string | undefined }): CursorRequest {
  if (nextId === undefined || nextId === '') return { limit, after: null }
  const [, createdAt, id] = pattern.exec(Buffer.from(nextId, 'base64url').toString()) ?? []
  if (createdAt === undefined || id === undefined || !isInstant(createdAt)) {
    throw invalidInput([{ path: ['nextId'], message: 'must be the nextId of the page before' }])
  }
  return { limit, after: { createdAt, id } }
}

export function serializePage<P>({ total, next }: CursorPage<unknown>, entries: P[]) {
  return { length: total, entries, nextId: next === null ? null : writeCursor(next) }
}

export function writeCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

/** JavaScript accepts February 30, PostgreSQL doesn't. */
function isInstant(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}
