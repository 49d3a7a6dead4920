// A WebSocket server that echoes short text frames.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

const key = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export function echoSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${key}`).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  let waiting: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    for (;;) {
      const frame = nextFrame(waiting)
      if (frame === null) return
      waiting = waiting.subarray(frame.length)
      if (frame.opcode === 8) {
        socket.end(Buffer.from([0x88, 0]))
        return
      }
      socket.write(Buffer.concat([Buffer.from([0x80 | frame.opcode, frame.payload.length]), frame.payload]))
    }
  })
  socket.on('error', () => {})
}

/** Client frames are masked; frames of more than 125 bytes aren't supported. */
function nextFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  const [first = 0, second = 0] = bytes
  const size = second & 0x7f
  const length = 6 + size
  if (bytes.length < length) return null
  const mask = bytes.subarray(2, 6)
  const payload = Buffer.from(
    bytes.subarray(6, length).map((byte, index) => byte ^ (mask[index % 4] as number)),
  )
  return { opcode: first & 0x0f, payload, length }
}
