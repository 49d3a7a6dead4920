// A seccomp filter for system calls that user code doesn't need and no namespace covers: vsock sockets, the kernel's keys and
// log, and calls with a history of vulnerabilities. Classic BPF, installed by perl, which every Debian has; it can't be
// removed.

interface Machine {
  /** AUDIT_ARCH_… of linux/audit.h. */
  audit: number
  prctl: number
  socket: number
  /** add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, open_by_handle_at, syslog. */
  refused: readonly number[]
}

const machines: Partial<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    prctl: 157,
    socket: 41,
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 304, 103],
  },
  arm64: {
    audit: 0xc00000b7,
    prctl: 167,
    socket: 198,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 265, 116],
  },
}

/** io_uring_setup, _enter and _register, which create sockets past the filter. The same on all architectures. */
const refusedEverywhere = [425, 426, 427]
/** Unix, IPv4, IPv6 and netlink: those that the network namespace covers. */
const families = [1, 2, 10, 16]
/** Call numbers of another ABI on the same machine (x32). */
const foreignCalls = 0x40000000

const allow = 0x7fff0000
const fail = (errno: number) => 0x00050000 | errno
const notPermitted = fail(1)
const noSuchFamily = fail(97)

const load = (offset: number) => instruction(0x20, offset)
const ret = (value: number) => instruction(0x06, value)
/** Skips this many instructions if the condition holds. */
const ifEqual = (value: number, skip: number) => instruction(0x15, value, skip)
const ifAtLeast = (value: number, skip: number) => instruction(0x35, value, skip)

function instruction(code: number, value: number, skipIf = 0, skipElse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(skipIf, 2)
  bytes.writeUInt8(skipElse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

/** Prefix of a command that runs it under the filter; null: not supported on this architecture. */
export function filterCommand(perl: string, arch: string = process.arch): string[] | null {
  const machine = machines[arch]
  if (!machine) return null
  const program = Buffer.concat(filterFor(machine)).toString('hex')
  // PR_SET_SECCOMP with SECCOMP_MODE_FILTER and a struct sock_fprog.
  const code =
    'my $f = pack("H*", shift); my $p = pack("S x![P] P", length($f) / 8, $f); ' +
    `syscall(${machine.prctl}, 22, 2, $p) == 0 or die "seccomp: $!"; exec @ARGV or die $!`
  return [perl, '-e', code, program]
}

function filterFor({ audit, socket, refused }: Machine): Buffer[] {
  const calls = [...refused, ...refusedEverywhere]
  /** Instructions from the call of this index to the last one. */
  const toRefusal = (index: number) => calls.length - index + families.length + 3
  return [
    load(4),
    ifEqual(audit, 1),
    ret(notPermitted),
    load(0),
    ifAtLeast(foreignCalls, toRefusal(-1)),
    ...calls.map((call, index) => ifEqual(call, toRefusal(index))),
    instruction(0x15, socket, 0, families.length + 2),
    load(16),
    ...families.map((family, index) => ifEqual(family, families.length - index)),
    ret(noSuchFamily),
    ret(allow),
    ret(notPermitted),
  ]
}
