/** Bytes of the texts in a value: escapes and quotes are the channel's, not the user's. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 0)
}
