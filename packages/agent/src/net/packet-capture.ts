// Captures the packets of one connection or ping as a pcap file. Needs CAP_NET_RAW. The kernel's filter excludes those of other
// runs.
import {
  type CLibrary,
  closeOnExec,
  loadLibrary,
  nonBlocking,
  receive,
  setNumber,
  sockDgram,
  trueLength,
  watch,
} from './c-socket.ts'
import { type CaptureSubject, captureFilter } from './capture-filter.ts'

export interface PacketCapture {
  /** The number of packets so far. */
  readonly count: number
  /** Stops the capture and returns the file. */
  stop(maxBytes: number): Buffer
}

/** Throws an error with the system's code: EPERM if the capability is missing. */
export async function openPacketCapture(subject: CaptureSubject): Promise<PacketCapture> {
  const c = await loadLibrary()
  // Without a protocol nothing is delivered, so no packet arrives before the filter is set.
  const fd = c.must(c.socket(afPacket, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
  const packets: CapturedPacket[] = []
  let stopWatching = () => {}
  try {
    const instructions = captureFilter(subject)
    const program = { length: instructions.length / 8, instructions }
    c.must(c.setFilter(fd, solSocket, soAttachFilter, program, 16), 'setsockopt')
    setNumber(c, fd, solSocket, soTimestamp, 1)
    const everything = Buffer.alloc(20)
    everything.writeUInt16LE(afPacket, 0)
    everything.writeUInt16BE(ethAll, 2)
    c.must(c.bind(fd, everything, everything.length), 'bind')
    stopWatching = watch(c, fd, () => drain(c, fd, packets))
  } catch (error) {
    c.close(fd)
    throw error
  }
  return {
    get count() {
      return packets.length
    },
    stop(maxBytes) {
      drain(c, fd, packets)
      stopWatching()
      c.close(fd)
      return pcapFile(packets, maxBytes)
    },
  }
}

const afPacket = 17
const ethAll = 3
const solSocket = 1
const soAttachFilter = 26
const soTimestamp = 29
const loopback = 772
const outgoing = 4
const maxPackets = 500

function drain(c: CLibrary, fd: number, packets: CapturedPacket[]): void {
  for (let turn = 0; turn < 64; turn++) {
    const received = receive(c, fd, trueLength)
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

const fileHeaderBytes = 24
const recordHeaderBytes = 16
const linkHeaderBytes = 16

/** The first packets that fit. */
function pcapFile(packets: readonly CapturedPacket[], maxBytes: number): Buffer {
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
