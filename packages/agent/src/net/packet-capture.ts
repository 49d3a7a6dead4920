// Captures the packets of one connection or ping as a pcap file. Needs CAP_NET_RAW. The kernel's filter excludes those of other
// runs.
import { CSocket, sockDgram, solSocket, trueLength } from './c-socket.ts'
import { type CaptureSubject, captureFilter } from './capture-filter.ts'

/** Throws an error with the system's code: EPERM if the capability is missing. */
export async function openPacketCapture(subject: CaptureSubject) {
  const packets: CapturedPacket[] = []
  // Without a protocol nothing is delivered, so no packet arrives before the filter is set.
  const socket = await CSocket.open([afPacket, sockDgram, 0], (opened) => {
    opened.setFilter(captureFilter(subject, opened.addressBytes(subject.address.replace(/%.*$/, ''))))
    opened.setOption(solSocket, soTimestamp, 1)
    const everything = Buffer.alloc(20)
    everything.writeUInt16LE(afPacket, 0)
    everything.writeUInt16BE(ethAll, 2)
    opened.bind(everything)
    opened.watch(() => drain(opened, packets))
  })
  return {
    /** The number of packets so far. */
    get count() {
      return packets.length
    },
    /** Stops the capture and returns the file. */
    stop(maxBytes: number): Buffer {
      drain(socket, packets)
      socket.close()
      return pcapFile(packets, maxBytes)
    },
  }
}

const afPacket = 17
const ethAll = 3
const soTimestamp = 29
const loopback = 772
const outgoing = 4
const maxPackets = 500

function drain(socket: CSocket, packets: CapturedPacket[]): void {
  for (let turn = 0; turn < 64; turn++) {
    const received = socket.receive(trueLength)
    if (!received) return
    const { message, name, control, length } = received
    // Loopback shows every packet twice: outgoing and incoming.
    const isEcho = name.readUInt16LE(8) === loopback && name[10] === outgoing
    if (isEcho || packets.length >= maxPackets) continue
    const time = control.find((entry) => entry.level === solSocket && entry.type === soTimestamp)?.data
    packets.push({
      seconds: Number(time?.readBigInt64LE(0) ?? 0),
      microseconds: Number(time?.readBigInt64LE(8) ?? 0),
      linkAddress: name,
      data: message,
      length,
    })
  }
}

// Captured packets as a pcap file with Linux's cooked link headers, which are the same for every interface.
interface CapturedPacket {
  seconds: number
  microseconds: number
  /** struct sockaddr_ll: the interface, the direction and the hardware address. */
  linkAddress: Buffer
  /** Starts at the IP header. */
  data: Buffer
  /** The length on the wire; `data` may be truncated. */
  length: number
}

/** Version 2.4, LINKTYPE_LINUX_SLL, packets of up to 65,535 bytes. */
const fileHeader = Buffer.from(
  'd4c3b2a1 0200 0400 00000000 00000000 ffff0000 71000000'.replaceAll(' ', ''),
  'hex',
)
const recordHeaderBytes = 16
const linkHeaderBytes = 16

/** The first packets that fit. */
function pcapFile(packets: readonly CapturedPacket[], maxBytes: number): Buffer {
  const parts: Buffer[] = [fileHeader]
  let size = fileHeader.length
  for (const packet of packets) {
    size += recordHeaderBytes + linkHeaderBytes + packet.data.length
    if (size > maxBytes) break
    parts.push(recordOf(packet))
  }
  return Buffer.concat(parts)
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
