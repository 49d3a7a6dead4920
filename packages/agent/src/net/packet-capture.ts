// Captures the packets of one connection or ping as a pcap file. Needs CAP_NET_RAW. The kernel's filter excludes those of other
// runs.
import { CSocket, type Received, sockDgram, solSocket, trueLength } from './c-socket.ts'
import { type CaptureSubject, captureFilter } from './capture-filter.ts'

/** Throws an error with the system's code: EPERM if the capability is missing. */
export async function openPacketCapture(subject: CaptureSubject) {
  const packets: Received[] = []
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

function drain(socket: CSocket, packets: Received[]): void {
  for (let turn = 0; turn < 64; turn++) {
    const received = socket.receive(trueLength)
    if (!received) return
    const { name } = received
    // Loopback shows every packet twice: outgoing and incoming.
    const isEcho = name.readUInt16LE(8) === loopback && name[10] === outgoing
    if (!isEcho && packets.length < maxPackets) packets.push(received)
  }
}

// Captured packets as a pcap file with Linux's cooked link headers, which are the same for every interface.
/** Version 2.4, LINKTYPE_LINUX_SLL, packets of up to 65,535 bytes. */
const fileHeader = Buffer.from(
  'd4c3b2a1 0200 0400 00000000 00000000 ffff0000 71000000'.replaceAll(' ', ''),
  'hex',
)
const recordHeaderBytes = 16
const linkHeaderBytes = 16

/** The first packets that fit. */
function pcapFile(packets: readonly Received[], maxBytes: number): Buffer {
  const parts: Buffer[] = [fileHeader]
  let size = fileHeader.length
  for (const packet of packets) {
    size += recordHeaderBytes + linkHeaderBytes + packet.message.length
    if (size > maxBytes) break
    parts.push(recordOf(packet))
  }
  return Buffer.concat(parts)
}

/** `name` is a struct sockaddr_ll: the interface, the direction and the hardware address. `message` starts at the IP header. */
function recordOf({ name, message, control, length }: Received): Buffer {
  const time = control.find((entry) => entry.level === solSocket && entry.type === soTimestamp)?.data
  const header = Buffer.alloc(recordHeaderBytes + linkHeaderBytes)
  header.writeUInt32LE(Number(time?.readBigInt64LE(0) ?? 0), 0)
  header.writeUInt32LE(Number(time?.readBigInt64LE(8) ?? 0), 4)
  header.writeUInt32LE(linkHeaderBytes + message.length, 8)
  header.writeUInt32LE(linkHeaderBytes + length, 12)
  header.writeUInt16BE(name[10] ?? 0, 16)
  header.writeUInt16BE(name.readUInt16LE(8), 18)
  header.writeUInt16BE(name[11] ?? 0, 20)
  name.copy(header, 22, 12, 20)
  name.copy(header, 30, 2, 4)
  return Buffer.concat([header, message])
}
