// The filter as the kernel reads it, also for machines that this one isn't.
import { describe, expect, it } from 'vitest'
import { syscallFilter } from './syscall-filter.ts'

interface Call {
  nr: number
  audit: number
  args?: readonly number[]
}

/** The few instructions that it consists of: load, mask, compare, return. */
function verdict(program: Buffer, { nr, audit, args = [] }: Call): string {
  const load = (offset: number) => {
    if (offset < 16) return offset === 0 ? nr : audit
    const value = args[(offset - 16) >> 3] ?? 0
    return offset % 8 === 0 ? value % 2 ** 32 : Math.floor(value / 2 ** 32)
  }
  let value = 0
  for (let at = 0; at < program.length; at += 8) {
    const operation = program.readUInt16LE(at)
    const operand = program.readUInt32LE(at + 4)
    const skip = (isMet: boolean) => 8 * program.readUInt8(at + (isMet ? 2 : 3))
    if (operation === 0x20) value = load(operand)
    else if (operation === 0x54) value = (value & operand) >>> 0
    else if (operation === 0x15) at += skip(value === operand)
    else if (operation === 0x25) at += skip(value > operand)
    else if (operation === 0x35) at += skip(value >= operand)
    else return { 2147418112: 'allowed', 2147483648: 'killed' }[operand] ?? `errno ${operand & 0xffff}`
  }
  return 'ran off the end'
}

const machines = [
  {
    ...{
      arch: 'x64',
      audit: 0xc000003e,
      socket: 41,
      pair: 53,
      clone: 56,
      prctl: 157,
      personality: 135,
      shmget: 29,
      ioctl: 16,
      setsockopt: 54,
    },
    allowed: { read: 0, open: 2, futex: 202, openat: 257, statx: 332, faccessat2: 439 },
    refused: {
      ...{
        ptrace: 101,
        mount: 165,
        chroot: 161,
        pivot_root: 155,
        unshare: 272,
        setns: 308,
        keyctl: 250,
        syslog: 103,
        bpf: 321,
      },
      ...{
        perf: 298,
        userfaultfd: 323,
        process_vm_readv: 310,
        process_vm_writev: 311,
        pidfd_getfd: 438,
        io_uring: 425,
      },
      ...{
        fsopen: 430,
        move_mount: 429,
        mount_setattr: 442,
        msgget: 68,
        semget: 64,
        mq_open: 240,
        modify_ldt: 154,
      },
      ...{
        open_by_handle_at: 304,
        memfd_secret: 447,
        kcmp: 312,
        kexec_load: 246,
        init_module: 175,
        seccomp: 317,
      },
    },
  },
  {
    ...{
      arch: 'arm64',
      audit: 0xc00000b7,
      socket: 198,
      pair: 199,
      clone: 220,
      prctl: 167,
      personality: 92,
      shmget: 194,
      ioctl: 29,
      setsockopt: 208,
    },
    allowed: { read: 63, openat: 56, futex: 98, statx: 291, faccessat2: 439 },
    refused: {
      ...{
        ptrace: 117,
        mount: 40,
        chroot: 51,
        pivot_root: 41,
        unshare: 97,
        setns: 268,
        keyctl: 219,
        syslog: 116,
        bpf: 280,
      },
      ...{
        perf: 241,
        userfaultfd: 282,
        process_vm_readv: 270,
        process_vm_writev: 271,
        pidfd_getfd: 438,
        io_uring: 425,
      },
      ...{ fsopen: 430, move_mount: 429, mount_setattr: 442, msgget: 186, semget: 190, mq_open: 180 },
      ...{
        open_by_handle_at: 265,
        memfd_secret: 447,
        kcmp: 272,
        kexec_load: 104,
        init_module: 105,
        seccomp: 277,
      },
    },
  },
] as const

describe.each(machines)('on $arch', ({ arch, audit, allowed, refused, ...calls }) => {
  const program = syscallFilter(arch) ?? Buffer.alloc(0)
  const of = (nr: number, ...args: number[]) => verdict(program, { nr, audit, args })
  const { socket, pair, clone, prctl, personality, shmget, ioctl, setsockopt } = calls

  it.each(Object.entries(allowed))('%s is allowed', (_name, nr) => expect(of(nr)).toBe('allowed'))
  it.each(Object.entries(refused))('%s is refused', (_name, nr) => expect(of(nr)).toBe('errno 1'))

  it('calls that it does not know, and clone3, are not implemented', () =>
    expect([of(435), of(463), of(1_000)]).toEqual(['errno 38', 'errno 38', 'errno 38']))

  it('calls of another ABI are refused or end the process', () => {
    expect(of(0x40000000 + allowed.read)).toBe('errno 1')
    expect(verdict(program, { nr: allowed.read, audit: 0x40000003 })).toBe('killed')
  })

  it('sockets have a family that the network namespace covers', () => {
    expect([1, 2, 10, 16].map((family) => of(socket, family))).toEqual(Array(4).fill('allowed'))
    expect([0, 17, 31, 38, 40, 44].map((family) => of(socket, family))).toEqual(Array(6).fill('errno 97'))
    expect([of(pair, 1), of(pair, 30)]).toEqual(['allowed', 'errno 97'])
  })

  it('processes and threads have no new namespace', () => {
    expect([of(clone, 0x11), of(clone, 0x3d0f00)]).toEqual(['allowed', 'allowed'])
    const flags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
    expect(flags.map((flag) => of(clone, flag + 0x11))).toEqual(Array(7).fill('errno 1'))
  })

  it('a process always ends with its parent', () => {
    expect([of(prctl, 15), of(prctl, 1, 9)]).toEqual(['allowed', 'allowed'])
    expect([of(prctl, 1, 0), of(prctl, 1, 15)]).toEqual(['errno 1', 'errno 1'])
  })

  it('shared memory comes in small segments', () => {
    expect([of(shmget, 0, 56), of(shmget, 0, 4_096)]).toEqual(['allowed', 'allowed'])
    expect([of(shmget, 0, 4_097), of(shmget, 0, 2 ** 32)]).toEqual(['errno 1', 'errno 1'])
  })

  it('buffers of sockets keep their size, and other options are set', () => {
    expect([of(setsockopt, 3, 1, 7), of(setsockopt, 3, 1, 8)]).toEqual(['errno 0', 'errno 0'])
    expect([of(setsockopt, 3, 1, 2), of(setsockopt, 3, 6, 7)]).toEqual(['allowed', 'allowed'])
  })

  it('a personality is the default one, and nothing types into a terminal', () => {
    expect([of(personality, 0), of(personality, 0xffffffff), of(personality, 0x40000)]).toEqual([
      ...['allowed', 'allowed', 'errno 1'],
    ])
    expect([of(ioctl, 0, 0x5401), of(ioctl, 0, 0x5412), of(ioctl, 0, 0x541c)]).toEqual([
      ...['allowed', 'errno 1', 'errno 1'],
    ])
  })
})

it("isn't supported on other architectures", () => expect(syscallFilter('riscv64')).toBeNull())
