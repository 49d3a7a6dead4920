import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, it } from 'vitest'
import { refusalToRun } from './requirement.ts'
import { groupFolder } from './run-groups.ts'

const mount = (root: string, at: string) =>
  `25 30 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n30 25 0:26 ${root} ${at} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n`

describe('the control group of an agent', () => {
  it.each([
    [
      'a service',
      '0::/system.slice/vedette-agent.service\n',
      mount('/', '/sys/fs/cgroup'),
      '/sys/fs/cgroup/system.slice/vedette-agent.service',
    ],
    ['a container with a cgroup namespace', '0::/\n', mount('/', '/sys/fs/cgroup'), '/sys/fs/cgroup'],
    [
      'a container without one',
      '0::/docker/4f/inner\n',
      mount('/docker/4f', '/sys/fs/cgroup'),
      '/sys/fs/cgroup/inner',
    ],
    [
      'a host that has version 1 too',
      '4:memory:/a\n0::/b\n',
      mount('/', '/sys/fs/cgroup/unified'),
      '/sys/fs/cgroup/unified/b',
    ],
    ['a group outside of the namespace', '0::/../other\n', mount('/', '/sys/fs/cgroup'), null],
    ['a group outside of the mount', '0::/other\n', mount('/docker/4f', '/sys/fs/cgroup'), null],
    ['a host without cgroup v2', '4:memory:/a\n', '', null],
  ])('of %s', (_name, cgroup, mountinfo, folder) => {
    expect(groupFolder(cgroup, mountinfo)).toBe(folder)
  })
})

describe('AGENT_LIMITS', () => {
  const network = networkPolicy({ mode: 'default' })
  const strong = { level: 'strong', missing: [] } as const
  const limitsMissing = "the unit vedette.service hasn't set Delegate=yes"

  it('require refuses code without limits by the kernel, and says how to get them', () => {
    const refusal = refusalToRun({ ...strong, limitsMissing }, network, 'auto', 'require')
    expect(refusal).toMatch(/AGENT_LIMITS=require.*vedette\.service.*Delegate=yes.*writable-cgroups/)
    expect(refusalToRun(strong, network, 'auto', 'require')).toBeNull()
  })

  it('auto runs it', () => {
    expect(refusalToRun({ ...strong, limitsMissing }, network, 'auto', 'auto')).toBeNull()
  })
})
