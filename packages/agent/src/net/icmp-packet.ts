// ICMP echo messages as bytes.
import type { CFamily } from './c-socket.ts'

export type IcmpMessage = NonNullable<ReturnType<typeof decodeIcmp>>

/** As ping counts it: a header of 8 bytes and 56 bytes of data. */
export const packetSize = 64
export const tokenSize = 8

export const echoTypes = { 4: { request: 8, reply: 0 }, 6: { request: 128, reply: 129 } } as const

/** `token` identifies our replies: the kernel replaces the id on a ping socket. */
export function encodeEcho(
  family: CFamily,
  { id, sequence, token }: { id: number; sequence: number; token: Buffer },
): Buffer {
  const packet = Buffer.alloc(packetSize)
  packet.writeUInt8(echoTypes[family].request, 0)
  packet.writeUInt16BE(id, 4)
  packet.writeUInt16BE(sequence, 6)
  token.copy(packet, 8, 0, tokenSize)
  // For IPv6 the kernel overwrites it, since that checksum includes addresses that only the kernel knows.
  packet.writeUInt16BE(checksum(packet), 2)
  return packet
}

/** Null: too short. Messages that errors quote may lack the token. */
export function decodeIcmp(data: Buffer) {
  if (data.length < 8) return null
  return {
    type: data.readUInt8(0),
    code: data.readUInt8(1),
    id: data.readUInt16BE(4),
    sequence: data.readUInt16BE(6),
    token: data.subarray(8, 8 + tokenSize),
  }
}

/** Raw IPv4 sockets also return the IP header. */
export function withoutIpHeader(data: Buffer): Buffer {
  return data.subarray(((data[0] ?? 0) & 15) * 4)
}

/** RFC 1071. */
export function checksum(data: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < data.length; at += 2) sum += data.readUInt16BE(at)
  if (data.length % 2 === 1) sum += (data[data.length - 1] ?? 0) << 8
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}
