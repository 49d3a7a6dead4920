// A seccomp filter that allows the calls of syscall-table.ts only: classic BPF, which bubblewrap installs before the first
// program of a cell runs. It can't be removed.
import {
  type Arch,
  allowedCalls,
  lastKnownCall,
  limitedCalls,
  personalities,
  socketFamilies,
} from './syscall-table.ts'

/** AUDIT_ARCH_… of linux/audit.h. */
const audits: Record<Arch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Call numbers of another ABI on the same machine (x32). */
const foreignCalls = 0x40000000

/** Offsets in struct seccomp_data; both machines are little-endian. */
const callNumber = 0
const audit = 4
const argument = (index: number) => 16 + index * 8
const upperHalf = (index: number) => argument(index) + 4

const allow = 0x7fff0000
const killProcess = 0x80000000
const fail = (errno: number) => 0x00050000 | errno
const pretended = fail(0)
const notPermitted = fail(1)
const notImplemented = fail(38)
const noSuchFamily = fail(97)

const load = (offset: number) => instruction(0x20, offset)
const ret = (value: number) => instruction(0x06, value)
const mask = (bits: number) => instruction(0x54, bits)
/** Skips so many instructions if the condition holds, or otherwise. */
const equal = (value: number, skip: number, skipElse = 0) => instruction(0x15, value, skip, skipElse)
const greater = (value: number, skip: number, skipElse = 0) => instruction(0x25, value, skip, skipElse)
const atLeast = (value: number, skip: number, skipElse = 0) => instruction(0x35, value, skip, skipElse)

function instruction(code: number, value: number, skipIf = 0, skipElse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(skipIf, 2)
  bytes.writeUInt8(skipElse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

/** CLONE_NEW… of linux/sched.h: namespaces for mounts, cgroups, host names, IPC, users, processes and networks. */
const namespaceFlags = 0x7e020000
const unixFamily = 1
const setParentDeathSignal = 1
const sigkill = 9
/** Put characters into a terminal. */
const terminalRequests = [0x5412, 0x541c]
const socketLevel = 1
/** SO_SNDBUF and SO_RCVBUF. */
const bufferSizes = [7, 8]
/** 4,096 segments of a namespace are 16 MiB. PostgreSQL needs a segment of 56 bytes. */
const maxSegmentBytes = 4_096

const oneOf = (values: readonly number[], found: number, otherwise: number) => [
  ...values.map((value, index) => equal(value, values.length - index)),
  ret(otherwise),
  ret(found),
]

/** Each ends with a result. */
const rules: Record<string, Buffer[]> = {
  clone: [load(argument(0)), mask(namespaceFlags), ...oneOf([0], allow, notPermitted)],
  // Its flags are in memory, which a filter can't read. The C library then uses clone.
  clone3: [ret(notImplemented)],
  socket: [load(argument(0)), ...oneOf(socketFamilies, allow, noSuchFamily)],
  socketpair: [load(argument(0)), ...oneOf([unixFamily], allow, noSuchFamily)],
  personality: [load(argument(0)), ...oneOf(personalities, allow, notPermitted)],
  // The first process of a cell can be taken over, and must still end with the agent.
  prctl: [
    load(argument(0)),
    equal(setParentDeathSignal, 1),
    ret(allow),
    load(argument(1)),
    ...oneOf([sigkill], allow, notPermitted),
  ],
  ioctl: [load(argument(1)), ...oneOf(terminalRequests, notPermitted, allow)],
  // Files without a directory have no size limit, and no watch finds them while they are sent to a socket. Programs use /dev/shm.
  memfd_create: [ret(notImplemented)],
  // Every socket has buffers of the default size, so that their number limits their memory. A larger size is advice.
  setsockopt: [
    load(argument(1)),
    equal(socketLevel, 1),
    ret(allow),
    load(argument(2)),
    ...oneOf(bufferSizes, pretended, allow),
  ],
  // Detached segments belong to no process, so no watch counts them.
  shmget: [
    load(upperHalf(1)),
    equal(0, 1),
    ret(notPermitted),
    load(argument(1)),
    greater(maxSegmentBytes, 1),
    ret(allow),
    ret(notPermitted),
  ],
}

/** Null: not supported on this architecture. */
export function syscallFilter(arch: string = process.arch): Buffer | null {
  if (arch !== 'x64' && arch !== 'arm64') return null
  const limited = [...limitedCalls(arch)].flatMap(([name, call]) => {
    const rule = rules[name]
    if (!rule) throw new Error(`the system call ${name} has no rule`)
    return [equal(call, 0, rule.length), ...rule]
  })
  return Buffer.concat([
    load(audit),
    equal(audits[arch], 1),
    ret(killProcess),
    load(callNumber),
    atLeast(foreignCalls, 0, 1),
    ret(notPermitted),
    greater(lastKnownCall, 0, 1),
    ret(notImplemented),
    ...limited,
    ...rangesOf(allowedCalls(arch)).flatMap(([first, last]) => [
      greater(last, 3),
      atLeast(first, 0, 1),
      ret(allow),
      ret(notPermitted),
    ]),
    ret(notPermitted),
  ])
}

/** Of successive numbers, in order. */
function rangesOf(calls: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = []
  for (const call of [...calls].sort((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && call <= range[1] + 1) range[1] = call
    else ranges.push([call, call])
  }
  return ranges
}
