// The tools of the system that cells are built with; every Debian has them.
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
  up: string
  /** Before a command; empty where there is none. */
  filter: readonly string[]
}

export function findTools(): CellTools | null {
  const found = toolNames.map((name) => [name, systemTool(name)] as const)
  const up = loopbackUp()
  if (up === null || found.some(([, path]) => path === null)) return null
  const perl = systemTool('perl')
  const filter = (perl !== null && filterCommand(perl)) || []
  return { ...(Object.fromEntries(found) as Record<(typeof toolNames)[number], string>), up, filter }
}

/** A new network namespace has its loopback down. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING. */
function loopbackUp(): string | null {
  const ip = systemTool('ip')
  if (ip !== null) return `${ip} link set lo up`
  const perl = systemTool('perl')
  if (perl === null) return null
  return `${perl} -e 'socket(S,2,2,0) or die; my $r = pack("a16s", "lo", 0x41); ioctl(S, 0x8914, $r) or die "lo: $!"'`
}
