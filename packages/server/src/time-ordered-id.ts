import { randomBytes } from 'node:crypto'

/** A UUID of version 7: ids sort by the millisecond they were made for. */
export function timeOrderedId(at: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.floor(at), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return textOf(bytes)
}

/** No id of that millisecond or later sorts before it, no earlier one after it. */
export function firstIdOf(at: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, Math.floor(at)), 0, 6)
  return textOf(bytes)
}

function textOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
