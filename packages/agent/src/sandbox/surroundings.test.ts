// Which settings are named where isolation is less than strong. `npm run drill -- containers` tries them in real containers.
import { describe, expect, it } from 'vitest'
import { mayMount, missingSettings, readSurroundings, type Surroundings } from './surroundings.ts'

/** The default capabilities of Docker, and those of a host. */
const few = 0xa80425fbn
const all = 0x1ffffffffffn

/** A container without any setting. */
const container: Surroundings = {
  ...{ isContainer: true, isRoot: true, isFiltered: true, isProcMasked: true },
  ...{ confinement: '', capabilities: few, sysctls: {} },
}
const host: Surroundings = {
  ...container,
  ...{ isContainer: false, isFiltered: false, isProcMasked: false, capabilities: all },
}

/** Of bubblewrap 0.8 with the default profiles of Docker and Podman, with masks on /proc, and with AppArmor. */
const errors = {
  docker:
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged…',
  podman: "bwrap: Can't set hostname to cell: Operation not permitted",
  proc: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
  apparmor: 'bwrap: Failed to make / slave: Permission denied',
  hidden: "the agent may not measure the processes of cells, so their limits don't work",
}
const seccomp = 'security_opt: seccomp=deploy/seccomp.json'
const systempaths = 'security_opt: systempaths=unconfined'
const apparmor = 'security_opt: apparmor=unconfined'
const ptrace = 'cap_add: SYS_PTRACE'

describe('the missing settings', () => {
  it.each<[string, Partial<Surroundings>, string[], string[]]>([
    ['Docker without any', {}, [errors.docker], [seccomp, systempaths, ptrace]],
    ['Podman without any', {}, [errors.podman], [seccomp, systempaths, ptrace]],
    ['with the profile', {}, [errors.proc], [systempaths, ptrace]],
    ['with an unmasked /proc', { isProcMasked: false }, [errors.docker], [seccomp, ptrace]],
    ['without the capability', { isProcMasked: false }, [errors.hidden], [ptrace]],
    [
      'with AppArmor',
      { isProcMasked: false, confinement: 'docker-default (enforce)', capabilities: all },
      [errors.apparmor],
      [apparmor],
    ],
    [
      'with SELinux',
      { isProcMasked: false, confinement: 'system_u:system_r:container_t:s0:c1,c2', capabilities: all },
      [errors.apparmor],
      ['security_opt: label=disable'],
    ],
    ['as another user, where cells work', { isRoot: false }, [], ['user: "0:0"', ptrace]],
    [
      'without bubblewrap',
      { isProcMasked: false, capabilities: all },
      ["the program bwrap isn't installed"],
      [],
    ],
  ])('in a container: %s', (_case, found, reasons, expected) => {
    expect(missingSettings({ ...container, ...found }, reasons)).toEqual(expected)
  })

  it.each<[string, Partial<Surroundings>, string[], string[]]>([
    ['as root', {}, [], []],
    ['as another user', { isRoot: false }, [], ['an agent that runs as root']],
    [
      'without user namespaces',
      { sysctls: { 'kernel.unprivileged_userns_clone': '0' } },
      [errors.docker],
      ['sysctl -w kernel.unprivileged_userns_clone=1'],
    ],
    [
      'with restricted user namespaces',
      { sysctls: { 'kernel.apparmor_restrict_unprivileged_userns': '1' } },
      [errors.apparmor],
      ['sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'],
    ],
    ['with few capabilities', { capabilities: few }, [errors.hidden], ['the capability CAP_SYS_PTRACE']],
  ])('on a host: %s', (_case, found, reasons, expected) => {
    expect(missingSettings({ ...host, ...found }, reasons)).toEqual(expected)
  })
})

it('knows whether root may mount', () => {
  expect([mayMount(container), mayMount(host)]).toEqual([false, true])
})

it('reads the surroundings of this process', () => {
  const found = readSurroundings()
  expect(found.isRoot).toBe(process.getuid?.() === 0)
  expect(found.capabilities).toBeGreaterThan(0n)
})
