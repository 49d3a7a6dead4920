// The settings of compose.yml that strong isolation needs, as options of `podman run`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { thisCheckout } from '../fleet.ts'

export interface Setting {
  /** As the agent names it. */
  name: string
  options: readonly string[]
}

interface Service {
  user: string
  cap_add: string[]
  security_opt: string[]
}

export function composeSettings(service: string): Setting[] {
  const text = readFileSync(join(thisCheckout.root, 'compose.yml'), 'utf8')
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
  const { user: variable, cap_add, security_opt } = services[service] as Service
  const user = /:-([\w:]+)\}$/.exec(variable)?.[1] ?? variable
  return [
    { name: `user: "${user}"`, options: ['--user', user] },
    ...cap_add.map((name) => ({ name: `cap_add: ${name}`, options: ['--cap-add', name] })),
    ...security_opt.map((option) => ({
      name: `security_opt: ${option}`,
      options: ['--security-opt', option.replace(/^seccomp=/, `seccomp=${thisCheckout.root}/`)],
    })),
  ]
}

interface Profile {
  syscalls: { names: string[]; action: string; args?: object[] }[]
}

/** What Docker's own profile refuses without CAP_SYS_ADMIN. */
const refusedByDocker = [
  'clone',
  'clone3',
  'mount',
  'pivot_root',
  'sethostname',
  'setns',
  'umount2',
  'unshare',
]
const namespaceFlags = 0x7e020000

/** A profile that refuses namespaces as Docker's own does: there is no Docker on this machine to take it from. */
export function profileLikeDocker(): string {
  const path = join(thisCheckout.root, 'deploy', 'seccomp.json')
  const { syscalls, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Profile
  const kept = syscalls.map((rule) => ({
    ...rule,
    names: rule.names.filter((name) => !refusedByDocker.includes(name)),
  }))
  const args = [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]
  const clone = { names: ['clone'], action: 'SCMP_ACT_ALLOW', args }
  const unknown = { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }
  return JSON.stringify({ ...rest, defaultErrnoRet: 1, syscalls: [...kept, clone, unknown] })
}
