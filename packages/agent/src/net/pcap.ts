// Captured packets as a pcap file with Linux's cooked link headers, which are the same for every interface.

export interface CapturedPacket {
  seconds: number
  microseconds: number
  /** struct sockaddr_ll: the interface, the direction and the hardware address. */
  linkAddress: Buffer
  /** Starts at the IP header. */
  data: Buffer
  /** The length on the wire; `data` may be truncated. */
  length: number
}

const fileHeaderBytes = 24
const recordHeaderBytes = 16
const linkHeaderBytes = 16

/** The first packets that fit. */
export function pcapFile(packets: readonly CapturedPacket[], maxBytes: number): Buffer {
  const parts = [fileHeader()]
  let size = fileHeaderBytes
  for (const packet of packets) {
    size += recordHeaderBytes + linkHeaderBytes + packet.data.length
    if (size > maxBytes) break
    parts.push(recordOf(packet))
  }
  return Buffer.concat(parts)
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(fileHeaderBytes)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(0xffff, 16)
  // LINKTYPE_LINUX_SLL
  header.writeUInt32LE(113, 20)
  return header
}

function recordOf({ seconds, microseconds, linkAddress, data, length }: CapturedPacket): Buffer {
  const header = Buffer.alloc(recordHeaderBytes + linkHeaderBytes)
  header.writeUInt32LE(seconds, 0)
  header.writeUInt32LE(microseconds, 4)
  header.writeUInt32LE(linkHeaderBytes + data.length, 8)
  header.writeUInt32LE(linkHeaderBytes + length, 12)
  header.writeUInt16BE(linkAddress[10] ?? 0, 16)
  header.writeUInt16BE(linkAddress.readUInt16LE(8), 18)
  header.writeUInt16BE(linkAddress[11] ?? 0, 20)
  linkAddress.copy(header, 22, 12, 20)
  linkAddress.copy(header, 30, 2, 4)
  return Buffer.concat([header, data])
}
