// One echo request with a limited TTL, over a ping socket or a raw socket.
import { randomBytes, randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { CFamily } from './c-socket.ts'
import { decodeIcmp, echoTypes, encodeEcho, tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket, type PingSocket, type PingSocketType } from './ping-socket.ts'
import { awaitAnswer, icmpAnswer, type ProbeAnswer, type ProbeContext } from './probe-answer.ts'
import type { ProbePlan } from './tcp-probe.ts'

/** Throws with the system's code where neither kind of socket is permitted. */
export async function probeByIcmp(
  { address, ttl, timeoutMs }: Omit<ProbePlan, 'port'>,
  context: ProbeContext,
): Promise<ProbeAnswer> {
  const family: CFamily = isIPv6(address) ? 6 : 4
  const echo = { id: randomInt(65_536), sequence: randomInt(65_536), token: randomBytes(tokenSize) }
  let onArrival = (_: Arrival) => {}
  const socket = await openEither(family, address, (arrival) => onArrival(arrival), ttl)
  try {
    return await awaitAnswer(context, timeoutMs, (settle) => {
      onArrival = ({ message, error }) => {
        const icmp = decodeIcmp(message)
        // A raw socket gets the messages for other probes of the same target. Quoted messages may lack the token.
        if (!icmp || icmp.sequence !== echo.sequence) return
        if (icmp.token.length === tokenSize && !icmp.token.equals(echo.token)) return
        if (!error) {
          if (icmp.type === echoTypes[family].reply)
            settle({ answer: 'connected', from: address, code: null })
          return
        }
        settle(icmpAnswer(error, family, address) ?? { answer: 'error', from: null, code: error.code })
      }
      const code = socket.send(encodeEcho(family, echo))
      if (code !== null) settle({ answer: 'error', from: null, code })
    })
  } finally {
    socket.close()
  }
}

const kinds: readonly PingSocketType[] = ['ping-socket', 'raw-socket']

async function openEither(
  family: CFamily,
  address: string,
  onArrival: (arrival: Arrival) => void,
  ttl: number | null,
): Promise<PingSocket> {
  let refused: unknown
  for (const kind of kinds) {
    try {
      return await openPingSocket(kind, family, address, onArrival, ttl)
    } catch (error) {
      refused = error
    }
  }
  throw refused
}
