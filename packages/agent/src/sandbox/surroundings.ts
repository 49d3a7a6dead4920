// What the container or the host of the agent allows, and which setting is missing for strong isolation.
import { existsSync } from 'node:fs'
import { readText } from '../core/system.ts'

export interface Surroundings {
  isContainer: boolean
  isRoot: boolean
  /** A seccomp filter applies to the agent. */
  isFiltered: boolean
  /** Parts of /proc are covered by mounts: the kernel then refuses another /proc in a user namespace. */
  isProcMasked: boolean
  /** The AppArmor profile or SELinux label of the agent. */
  confinement: string
  /** Capabilities that root has here, as bits. */
  capabilities: bigint
  /** Settings of the kernel; absent: the kernel doesn't have them. */
  sysctls: Partial<Record<RelevantSysctl, string>>
}

type RelevantSysctl = (typeof relevantSysctls)[number]
const relevantSysctls = [
  'kernel.unprivileged_userns_clone',
  'kernel.apparmor_restrict_unprivileged_userns',
] as const

/** Bits of linux/capability.h. */
const capability = { ptrace: 1n << 19n, admin: 1n << 21n }

export function readSurroundings(): Surroundings {
  const status = readText('/proc/self/status')
  const mounts = readText('/proc/self/mountinfo').split('\n')
  return {
    isContainer: containerFiles.some((file) => existsSync(file)),
    isRoot: process.getuid?.() === 0,
    isFiltered: /^Seccomp:\s+2$/m.test(status),
    isProcMasked: mounts.some((line) => line.split(' ')[4]?.startsWith('/proc/')),
    confinement: readText('/proc/self/attr/current').replaceAll('\0', '').trim(),
    capabilities: BigInt(`0x${/^CapBnd:\s+([\da-f]+)$/m.exec(status)?.[1] ?? '0'}`),
    sysctls: Object.fromEntries(
      relevantSysctls.map((name) => [name, readText(`/proc/sys/${name.replaceAll('.', '/')}`).trim()]),
    ),
  }
}

/** Of Podman, Docker and Kubernetes. */
const containerFiles = ['/run/.containerenv', '/.dockerenv', '/var/run/secrets/kubernetes.io']

/** Whether root may mount in the agent's own user namespace. */
export const mayMount = ({ capabilities }: Pick<Surroundings, 'capabilities'>) =>
  (capabilities & capability.admin) !== 0n

/** What to change for strong isolation. `errors`: why no cell could be built; none if cells work. */
export function missingSettings(found: Surroundings, errors: readonly string[]): string[] {
  const { isContainer, isRoot, isFiltered, isProcMasked, confinement, capabilities, sysctls } = found
  const [clone, restrict] = relevantSysctls
  const canMeasure = (capabilities & capability.ptrace) !== 0n
  const forCells: [isMissing: boolean, setting: string][] = [
    [sysctls[clone] === '0', `sysctl -w ${clone}=1`],
    [sysctls[restrict] === '1', `sysctl -w ${restrict}=0`],
    [isContainer && isFiltered && errors.some(isByFilter), 'security_opt: seccomp=deploy/seccomp.json'],
    [isContainer && isProcMasked, 'security_opt: systempaths=unconfined'],
    [isContainer && confinement.endsWith('(enforce)'), 'security_opt: apparmor=unconfined'],
    [isContainer && confinement.includes(':container_t:'), 'security_opt: label=disable'],
  ]
  const forUsers: typeof forCells = [
    [!isRoot, isContainer ? 'user: "0:0"' : 'an agent that runs as root'],
    [!canMeasure, isContainer ? 'cap_add: SYS_PTRACE' : 'the capability CAP_SYS_PTRACE'],
  ]
  const needed = errors.length === 0 ? forUsers : [...forCells, ...forUsers]
  return needed.flatMap(([isMissing, setting]) => (isMissing ? [setting] : []))
}

/** Not by the kernel, which refuses a /proc if another one is masked, and not by AppArmor (Permission denied). */
const isByFilter = (error: string) =>
  /^bwrap: .*(?:Operation not permitted|No permissions|not implemented)/.test(error) &&
  !error.includes("Can't mount proc")
