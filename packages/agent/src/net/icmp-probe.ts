// One echo request with a limited TTL, over a ping socket or a raw socket.
import { randomBytes, randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { CFamily } from './c-socket.ts'
import { decodeIcmp, echoTypes, encodeEcho, tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket, type PingSocket, type PingSocketType } from './ping-socket.ts'
import { awaitReply, icmpReply, type ProbeContext, type ProbeReply } from './probe-reply.ts'
import type { ProbeRequest } from './tcp-probe.ts'

/** Throws an error with the system's code if neither kind of socket is permitted. */
export async function probeByIcmp(
  { address, ttl, timeoutMs }: Omit<ProbeRequest, 'port'>,
  context: ProbeContext,
): Promise<ProbeReply> {
  const family: CFamily = isIPv6(address) ? 6 : 4
  const echo = { id: randomInt(65_536), sequence: randomInt(65_536), token: randomBytes(tokenSize) }
  let onArrival = (_: Arrival) => {}
  const socket = await openAnySocket(family, address, (arrival) => onArrival(arrival), ttl)
  try {
    return await awaitReply(context, timeoutMs, (settle) => {
      onArrival = ({ message, error }) => {
        const icmp = decodeIcmp(message)
        // A raw socket also receives replies to other probes of the same target. Quoted messages may lack the token.
        if (!icmp || icmp.sequence !== echo.sequence) return
        if (icmp.token.length === tokenSize && !icmp.token.equals(echo.token)) return
        if (!error) {
          if (icmp.type === echoTypes[family].reply) settle({ kind: 'connected', from: address, code: null })
          return
        }
        settle(icmpReply(error, family, address) ?? { kind: 'error', from: null, code: error.code })
      }
      const code = socket.send(encodeEcho(family, echo))
      if (code !== null) settle({ kind: 'error', from: null, code })
    })
  } finally {
    socket.close()
  }
}

const kinds: readonly PingSocketType[] = ['ping-socket', 'raw-socket']

async function openAnySocket(
  family: CFamily,
  address: string,
  onArrival: (arrival: Arrival) => void,
  ttl: number | null,
): Promise<PingSocket> {
  let lastError: unknown
  for (const kind of kinds) {
    try {
      return await openPingSocket(kind, family, address, onArrival, ttl)
    } catch (error) {
      lastError = error
    }
  }
  throw lastError
}
