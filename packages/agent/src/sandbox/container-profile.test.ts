import { expect, it } from 'vitest'
import { containerProfile } from './container-profile.ts'

interface Profile {
  defaultAction: string
  syscalls: { names: string[]; action: string; args?: { value: number }[] }[]
}

const { defaultAction, syscalls }: Profile = JSON.parse(containerProfile())
const unconditional = syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names)

it('allows what a cell and its construction need', () => {
  const needed = [
    'clone',
    'unshare',
    'mount',
    'umount2',
    'pivot_root',
    'sethostname',
    'prctl',
    'capset',
    'execve',
  ]
  expect(unconditional).toEqual(expect.arrayContaining(needed))
  expect(new Set(unconditional).size).toBe(unconditional.length)
})

it('refuses everything else, as of a kernel without it', () => {
  expect(defaultAction).toBe('SCMP_ACT_ERRNO')
  expect(new Set(syscalls.map(({ action }) => action))).toEqual(new Set(['SCMP_ACT_ALLOW']))
  const dangerous = [
    'bpf',
    'io_uring_setup',
    'userfaultfd',
    'perf_event_open',
    'keyctl',
    'setns',
    'init_module',
    'ptrace',
  ]
  expect(unconditional.filter((name) => dangerous.includes(name))).toEqual([])
})

it('limits families of sockets', () => {
  const families = syscalls.filter(({ names }) => names[0] === 'socket').map(({ args }) => args?.[0]?.value)
  expect(families).toEqual([1, 2, 10, 16])
  expect(unconditional).not.toContain('socket')
})
