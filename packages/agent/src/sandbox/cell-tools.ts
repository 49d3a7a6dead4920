// The system tools that isolation is built with; every Debian has them.
import { systemTool } from '../core/system-tool.ts'
import { filterCommand } from './syscall-filter.ts'

const toolNames = [
  'sh',
  'mount',
  'mkdir',
  'ln',
  'touch',
  'cp',
  'chroot',
  'unshare',
  'setpriv',
  'prlimit',
] as const

export type CellTools = Record<(typeof toolNames)[number], string> & {
  /** A command that brings the loopback interface up. */
  up: string
  /** Prefix of a command that installs the syscall filter; empty: not supported here. */
  filter: readonly string[]
}

export function findTools(): CellTools | null {
  const tools = systemTools(toolNames)
  const up = loopbackUp()
  return up === null || tools === null ? null : { ...tools, up, filter: syscallFilter() }
}

/** Null if one of them is missing. */
export function systemTools<N extends string>(names: readonly N[]): Record<N, string> | null {
  const found: Partial<Record<N, string>> = {}
  for (const name of names) {
    const path = systemTool(name)
    if (path === null) return null
    found[name] = path
  }
  return found as Record<N, string>
}

/** Prefix of a command; empty without perl, or on an unsupported architecture. */
export function syscallFilter(): readonly string[] {
  const perl = systemTool('perl')
  return (perl !== null && filterCommand(perl)) || []
}

/** The loopback interface of a new network namespace is down. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING. */
function loopbackUp(): string | null {
  const ip = systemTool('ip')
  if (ip !== null) return `${ip} link set lo up`
  const perl = systemTool('perl')
  if (perl === null) return null
  return `${perl} -e 'socket(S,2,2,0) or die; my $r = pack("a16s", "lo", 0x41); ioctl(S, 0x8914, $r) or die "lo: $!"'`
}
