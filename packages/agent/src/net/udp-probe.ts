// One UDP datagram with a limited TTL, and what the network says about it. Needs no permission on Linux.
import { isIPv6 } from 'node:net'
import {
  type CFamily,
  closeOnExec,
  errorQueue,
  families,
  loadLibrary,
  nonBlocking,
  readError,
  receive,
  setNumber,
  sockDgram,
  socketAddress,
  watch,
} from './c-socket.ts'
import { awaitAnswer, icmpAnswer, type ProbeAnswer, type ProbeContext } from './probe-answer.ts'
import type { ProbePlan } from './tcp-probe.ts'

const payload = Buffer.alloc(32)

/** Throws with the system's code when there can be no such socket. */
export async function probeByUdp(
  { address, port, ttl, timeoutMs }: ProbePlan,
  context: ProbeContext,
): Promise<ProbeAnswer> {
  const c = await loadLibrary()
  const family: CFamily = isIPv6(address) ? 6 : 4
  const { domain, level, setTtl, receiveErrors } = families[family]
  const fd = c.must(c.socket(domain, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
  let stopWatching = () => {}
  try {
    setNumber(c, fd, level, receiveErrors, 1)
    if (ttl !== null) setNumber(c, fd, level, setTtl, ttl)
    const target = socketAddress(c, family, address, port)
    if (c.connect(fd, target, target.length) < 0) return failed(c.error())
    return await awaitAnswer(context, timeoutMs, (settle) => {
      stopWatching = watch(c, fd, () => {
        const report = receive(c, fd, errorQueue)?.control.find(
          (entry) => entry.level === level && entry.type === receiveErrors,
        )
        if (!report) return settle({ answer: 'connected', from: address, code: null })
        const error = readError(report.data)
        settle(icmpAnswer(error, family, address) ?? failed(error.code))
      })
      if (c.send(fd, payload, payload.length, 0) < 0) settle(failed(c.error()))
    })
  } finally {
    stopWatching()
    c.close(fd)
  }
}

function failed(code: string): ProbeAnswer {
  return { answer: 'error', from: null, rttMs: null, code }
}
