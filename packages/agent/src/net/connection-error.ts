// Why a connection did not come about, with the fields that the wire has for each code. Pure.
import { constants } from 'node:os'
import type { Failure } from '@vedette/contracts'
import { splitServer } from './split-server.ts'

export interface ConnectionError {
  code: string
  errno?: number
  syscall?: string
  hostname?: string
  address?: string
  port?: number
}

export function connectionError(
  { code = 'ERROR', phase, address }: Failure,
  { hostname, ipFamily }: { hostname: string; ipFamily: 'IPv4' | 'IPv6' },
): ConnectionError {
  if (code === 'ERR_INVALID_IP_ADDRESS') return { code }
  if (phase === 'dns') return { code, syscall: ipFamily === 'IPv6' ? 'queryAaaa' : 'queryA', hostname }
  const { host, port } = splitServer(address ?? '')
  const where = { ...(host !== '' && { address: host }), ...(port !== undefined && { port }) }
  const errno = (constants.errno as Record<string, number>)[code]
  // Linux's numbers, whose sign Node turns; a wait that was too long has none.
  return errno === undefined
    ? { code, ...where }
    : { code, errno: -errno, syscall: syscallOf(phase), ...where }
}

const syscallOf = (phase: Failure['phase']) => (phase === 'connect' ? 'connect' : 'read')
