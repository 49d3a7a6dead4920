/** The first 16 bytes of a digest as a UUID (RFC 9562). `digest` is overwritten. */
export function uuidFromDigest(digest: Buffer, version: 4 | 5 | 7 | 8): string {
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | (version << 4), 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
