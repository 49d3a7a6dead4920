// What went wrong on the network, as data: errors of Node and OpenSSL told in our words.
import type { Failure, FailureKind } from '@vedette/contracts'

export type Phase = Failure['phase']

export function isFailure(value: object): value is Failure {
  return 'kind' in value && 'phase' in value
}

export function failureOf(error: unknown, phase: Phase, address?: string): Failure {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: `${error}` }
  return {
    kind: kindOf(code ?? '', phase),
    message: messageOf(code ?? '', phase, message),
    phase,
    ...(address !== undefined && { address }),
    ...(code !== undefined && { code }),
  }
}

/** Time that is up is the target's failure; a run that is called off is nobody's, and counts as our own error. */
export function failureOfAbort(signal: AbortSignal, phase: Phase, address?: string): Failure {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return {
    kind: isTimeout ? 'timeout' : 'internal',
    message: isTimeout ? `timed out ${during[phase]}` : `called off ${during[phase]}`,
    phase,
    ...(address !== undefined && { address }),
    code: isTimeout ? 'TIMEOUT' : 'CANCELLED',
  }
}

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

const plain: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed by the other side',
  EPIPE: 'the connection was closed by the other side',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network can not be reached',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'the name could not be resolved',
  EAI_AGAIN: 'the name could not be resolved: no answer from the resolver',
}

function messageOf(code: string, phase: Phase, message: string): string {
  const said = plain[code]
  if (said !== undefined) return phase === 'dns' || phase === 'connect' ? said : `${said} ${during[phase]}`
  return code !== '' && !message.includes(code) ? `${message} (${code})` : message
}
