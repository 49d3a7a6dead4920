// Rules for values that scripts return; the agent checks them too.

/** What a script may set as the method of a request. */
export const requestMethods = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS']

/** Of the request and the response, in either direction (wire facts: 256 kB). */
export const maxPassedBytes = 256 * 1024

export const isTooLarge = (value: unknown) => sizeOf(value) > maxPassedBytes

/** Bytes of the strings in a value, without the escapes and quotes of JSON. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 0)
}
