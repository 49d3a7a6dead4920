// The seccomp profile for containers with an agent (deploy/seccomp.json), in the format of Docker and Podman. The default profile of
// Docker refuses user namespaces and mounts, Podman's the host name of a namespace; bubblewrap needs all three. This profile allows
// the calls of cells and the few that build them, so it is shorter than the default ones. It grants no capabilities: a process of
// the container can mount only in a user namespace of its own.
import { callNames, personalities, socketFamilies } from './syscall-table.ts'

/** Build a cell: namespaces, their host name, mounts and the pivoted root. */
const buildingCalls = ['unshare', 'sethostname', 'mount', 'umount2', 'pivot_root']

const enosys = 38

export function containerProfile(): string {
  const profile = {
    // As of a kernel that doesn't have the call: programs then use an older one.
    ...{ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: enosys },
    syscalls: [
      allow([...callNames().filter((name) => !(name in conditions)), ...buildingCalls].sort()),
      ...Object.entries(conditions).flatMap(([name, values]) => values.map((value) => allow([name], value))),
    ],
  }
  return `${JSON.stringify(profile, null, 2)}\n`
}

/** Calls with the values that their first argument may have. */
const conditions: Readonly<Record<string, readonly number[]>> = {
  personality: personalities,
  // As in cells. Others (vsock, the kernel's cryptography) lead out of the container's network.
  socket: socketFamilies,
}

const allow = (names: readonly string[], first?: number) => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(first !== undefined && { args: [{ index: 0, value: first, op: 'SCMP_CMP_EQ' }] }),
})
