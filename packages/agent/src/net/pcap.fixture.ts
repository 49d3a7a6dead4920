// Reads a pcap file back, for tests.

export interface ReadPacket {
  seconds: number
  linkProtocol: number
  ttl: number
  protocol: number
  source: string
  target: string
  sourcePort: number
  targetPort: number
  /** Of TCP: S, A, R, F, P. */
  flags: string
  payload: string
}

export function readPcap(dataUrl: string): ReadPacket[] {
  const [, base64 = ''] = /^data:application\/vnd\.tcpdump\.pcap;base64,(.*)$/.exec(dataUrl) ?? []
  return readPcapFile(Buffer.from(base64, 'base64'))
}

export function readPcapFile(file: Buffer): ReadPacket[] {
  const header = [file.readUInt32LE(0), file.readUInt16LE(4), file.readUInt16LE(6), file.readUInt32LE(20)]
  // Microseconds, version 2.4, Linux cooked.
  if (`${header}` !== `${[0xa1b2c3d4, 2, 4, 113]}`) throw new Error(`not such a file: ${header}`)
  const packets: ReadPacket[] = []
  for (let at = 24; at < file.length; ) {
    const length = file.readUInt32LE(at + 8)
    packets.push(readPacket(file.readUInt32LE(at), file.subarray(at + 16, at + 16 + length)))
    at += 16 + length
  }
  return packets
}

function readPacket(seconds: number, packet: Buffer): ReadPacket {
  const ip = packet.subarray(16)
  const isSix = (ip[0] ?? 0) >> 4 === 6
  const body = ip.subarray(isSix ? 40 : ((ip[0] ?? 0) & 15) * 4)
  const bits = body[13] ?? 0
  const address = (at: number) =>
    isSix ? ip.subarray(at, at + 16).toString('hex') : ip.subarray(at, at + 4).join('.')
  return {
    seconds,
    linkProtocol: packet.readUInt16BE(14),
    ttl: ip[isSix ? 7 : 8] ?? 0,
    protocol: ip[isSix ? 6 : 9] ?? 0,
    source: address(isSix ? 8 : 12),
    target: address(isSix ? 24 : 16),
    sourcePort: body.readUInt16BE(0),
    targetPort: body.readUInt16BE(2),
    flags: ['F', 'S', 'R', 'P', 'A'].filter((_, bit) => bits & (1 << bit)).join(''),
    payload: body.subarray(((body[12] ?? 0) >> 4) * 4).toString('latin1'),
  }
}
