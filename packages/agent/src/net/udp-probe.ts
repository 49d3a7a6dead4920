// One UDP datagram with a limited TTL, and the ICMP error about it. Needs no permission on Linux.
import { isIPv6 } from 'node:net'
import {
  type CFamily,
  closeOnExec,
  families,
  loadLibrary,
  nonBlocking,
  receiveError,
  setNumber,
  sockDgram,
  socketAddress,
  watch,
} from './c-socket.ts'
import { awaitReply, icmpReply, type ProbeContext, type ProbeReply } from './probe-reply.ts'
import type { ProbeRequest } from './tcp-probe.ts'

const payload = Buffer.alloc(32)

/** Throws an error with the system's code if the socket can't be opened. */
export async function probeByUdp(
  { address, port, ttl, timeoutMs }: ProbeRequest,
  context: ProbeContext,
): Promise<ProbeReply> {
  const c = await loadLibrary()
  const family: CFamily = isIPv6(address) ? 6 : 4
  const { domain, level, setTtl, receiveErrors } = families[family]
  const fd = c.must(c.socket(domain, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
  let stopWatching = () => {}
  try {
    setNumber(c, fd, level, receiveErrors, 1)
    if (ttl !== null) setNumber(c, fd, level, setTtl, ttl)
    const target = socketAddress(c, family, address, port)
    if (c.connect(fd, target, target.length) < 0) return probeError(c.error())
    return await awaitReply(context, timeoutMs, (settle) => {
      stopWatching = watch(c, fd, () => {
        const error = receiveError(c, fd, family)
        if (!error) return settle({ kind: 'connected', from: address, code: null })
        settle(icmpReply(error, family, address) ?? probeError(error.code))
      })
      if (c.send(fd, payload, payload.length, 0) < 0) settle(probeError(c.error()))
    })
  } finally {
    stopWatching()
    c.close(fd)
  }
}

function probeError(code: string): ProbeReply {
  return { kind: 'error', from: null, rttMs: null, code }
}
