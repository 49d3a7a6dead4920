// Why a connection failed, in the fields of TCP results.
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
  const errno = new Map(Object.entries(constants.errno)).get(code)
  // Node negates the numbers of the system. Timeouts of the agent have no number.
  return errno === undefined
    ? { code, ...where }
    : { code, errno: -errno, syscall: syscallOf(phase), ...where }
}

const syscallOf = (phase: Failure['phase']) => (phase === 'connect' ? 'connect' : 'read')
