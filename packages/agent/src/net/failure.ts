// Network failures as data: errors of Node and OpenSSL with messages for users.
import type { Failure, FailureKind } from '@vedette/contracts'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'

export type Phase = Failure['phase']

export function isFailure(value: object): value is Failure {
  return 'kind' in value && 'phase' in value
}

export function failureOf(error: unknown, phase: Phase, address?: string): Failure {
  const code = errorCode(error)
  return {
    kind: kindOf(code ?? '', phase),
    message: messageOf(code ?? '', phase, errorMessage(error), address),
    phase,
    ...(address !== undefined && { address }),
    ...(code !== undefined && { code }),
  }
}

/** A timeout is a failure of the target. A canceled run is an internal error. */
export function failureOfAbort(signal: AbortSignal, phase: Phase, address?: string): Failure {
  const isTimeout = isTimedOut(signal)
  return {
    kind: isTimeout ? 'timeout' : 'internal',
    message: `The run ${isTimeout ? 'timed out' : 'was canceled'} ${during[phase]}.`,
    phase,
    ...(address !== undefined && { address }),
    code: isTimeout ? 'TIMEOUT' : 'CANCELLED',
  }
}

/** Aborted by a time limit, not by a cancellation. */
export function isTimedOut({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** An error like those of Node and the system. */
export const systemError = (code: string, message = code) => Object.assign(new Error(message), { code })

/** What Node reports when the other side closes a connection. */
export const connectionClosed = () => systemError('ECONNRESET')

export function addressOf(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

const during = {
  setup: 'before the request',
  dns: 'while resolving the name',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  send: 'while sending the request',
  wait: 'while waiting for the response',
  receive: 'while receiving the response',
  judge: 'while judging the response',
  teardown: 'after the response',
} satisfies Record<Phase, string>

function kindOf(code: string, phase: Phase): FailureKind {
  if (code === 'ETIMEDOUT') return 'timeout'
  if (phase === 'dns' || phase === 'tls') return phase
  if (/^(HPE_|ERR_HTTP|ERR_INVALID_|ERR_UNESCAPED)/.test(code)) return 'protocol'
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_|ZSTD_)/.test(code)) return 'body'
  return 'connect'
}

const connectionProblems: Record<string, string> = {
  ECONNREFUSED: 'was refused',
  ECONNRESET: 'was closed by the other side',
  EPIPE: 'was closed by the other side',
  EHOSTUNREACH: 'failed because there is no route to the host',
  ENETUNREACH: "failed because the network can't be reached",
  ETIMEDOUT: 'timed out',
}

const nameProblems: Record<string, string> = {
  ENOTFOUND: "The name couldn't be resolved.",
  EAI_AGAIN: "The name couldn't be resolved: the resolver didn't respond.",
}

function messageOf(code: string, phase: Phase, message: string, address?: string): string {
  const nameProblem = nameProblems[code]
  if (nameProblem !== undefined) return nameProblem
  const to = address === undefined ? '' : ` to ${address}`
  const when = phase === 'dns' || phase === 'connect' ? '' : ` ${during[phase]}`
  const problem = connectionProblems[code]
  if (problem !== undefined) return `The connection${to} ${problem}${when}.`
  const shown = (code !== '' && !message.includes(code) ? `${message} (${code})` : message).replace(/\.$/, '')
  if (code.startsWith('HPE_')) return `The response isn't valid HTTP: ${shown}.`
  if (kindOf(code, phase) === 'body') return `The response body couldn't be decoded: ${shown}.`
  return `The connection${to} failed${when}: ${shown}.`
}
