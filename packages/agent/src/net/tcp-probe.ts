// One TCP connection that is only begun: to see how far its first packet gets. Node can neither set its TTL nor read
// which router sent it back. Needs no permission on Linux (5.6 and later tell the router's address).

import { isIPv6 } from 'node:net'
import { getSystemErrorName } from 'node:util'
import { errorCode } from '@vedette/safeguards/errors'
import {
  type CFamily,
  type CLibrary,
  closeOnExec,
  errorQueue,
  families,
  loadLibrary,
  nonBlocking,
  readError,
  receive,
  setNumber,
  socketAddress,
  sockStream,
  watch,
  writable,
} from './c-socket.ts'
import { icmpAnswer, type ProbeAnswer } from './probe-answer.ts'

export interface ProbePlan {
  /** Passed the address policy. */
  address: string
  port: number
  /** Null: as far as any packet goes. */
  ttl: number | null
  timeoutMs: number
}

export interface TcpProbe {
  localPort: number
  /** Once; closes the probe whatever happens. */
  run(context: { signal: AbortSignal; monotonic(): number }): Promise<ProbeAnswer>
  close(): void
}

/** Throws with the system's code when there can be no such socket. */
export async function openTcpProbe({ address, port, ttl, timeoutMs }: ProbePlan): Promise<TcpProbe> {
  const c = await loadLibrary()
  const family: CFamily = isIPv6(address) ? 6 : 4
  const { domain, level, setTtl, receiveErrors } = families[family]
  const fd = c.must(c.socket(domain, sockStream | nonBlocking | closeOnExec, 0), 'socket')
  let isOpen = true
  const close = () => {
    if (isOpen) c.close(fd)
    isOpen = false
  }
  try {
    setNumber(c, fd, level, receiveErrors, 1)
    if (ttl !== null) setNumber(c, fd, level, setTtl, ttl)
    const localPort = bindAnyPort(c, fd, family)
    const target = socketAddress(c, family, address, port)
    const run: TcpProbe['run'] = ({ signal, monotonic }) =>
      new Promise((settle) => {
        const begun = monotonic()
        const done = (answer: Omit<ProbeAnswer, 'rttMs'>) => {
          const rttMs = answer.answer === 'silent' || answer.answer === 'error' ? null : monotonic() - begun
          clearTimeout(timer)
          signal.removeEventListener('abort', onSilence)
          stopWatching()
          close()
          settle({ ...answer, rttMs })
        }
        const onSilence = () => done({ answer: 'silent', from: null, code: null })
        let timer: NodeJS.Timeout | undefined
        let stopWatching = () => {}
        if (signal.aborted) return onSilence()
        if (c.connect(fd, target, target.length) >= 0) {
          return done({ answer: 'connected', from: address, code: null })
        }
        const code = c.error()
        if (code !== 'EINPROGRESS') return done(failed(code, address))
        try {
          stopWatching = watch(c, fd, () => done(answerOf(c, fd, family, address)), writable)
        } catch (error) {
          return done(failed(errorCode(error) ?? 'EMFILE', address))
        }
        timer = setTimeout(onSilence, timeoutMs)
        signal.addEventListener('abort', onSilence, { once: true })
      })
    return { localPort, run, close }
  } catch (error) {
    close()
    throw error
  }
}

function bindAnyPort(c: CLibrary, fd: number, family: CFamily): number {
  const any = socketAddress(c, family, family === 4 ? '0.0.0.0' : '::')
  c.must(c.bind(fd, any, any.length), 'bind')
  const name = Buffer.alloc(28)
  const length = Buffer.from(Uint32Array.of(name.length).buffer)
  c.must(c.ownName(fd, name, length), 'getsockname')
  return name.readUInt16BE(2)
}

function answerOf(c: CLibrary, fd: number, family: CFamily, address: string): Omit<ProbeAnswer, 'rttMs'> {
  const { level, receiveErrors } = families[family]
  const report = receive(c, fd, errorQueue)?.control.find(
    (entry) => entry.level === level && entry.type === receiveErrors,
  )
  const answer = report && icmpAnswer(readError(report.data), family, address)
  if (answer) return answer
  const pending = Buffer.alloc(4)
  c.getOption(fd, solSocket, soError, pending, Buffer.from(Uint32Array.of(4).buffer))
  const number = pending.readInt32LE()
  if (number === 0) return { answer: 'connected', from: address, code: null }
  return failed(getSystemErrorName(-number), address)
}

const solSocket = 1
const soError = 4

function failed(code: string, address: string): Omit<ProbeAnswer, 'rttMs'> {
  const isRefused = code === 'ECONNREFUSED'
  return { answer: isRefused ? 'refused' : 'error', from: isRefused ? address : null, code }
}
