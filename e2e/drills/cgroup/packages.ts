// Debian's packages of the virtual machine. Its kernel and busybox are only unpacked: they aren't for this machine.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const kernelPackage = 'linux-image-amd64'
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
const output = (command: string, args: string[], cwd?: string) =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

export function ensurePackages(folder: string): { tree: string; kernel: string; busybox: string } {
  const tree = join(folder, 'unpacked')
  mkdirSync(tree, { recursive: true })
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=120', '-o', 'APT::Sandbox::User=root']
  output('apt-get', [...options, 'update'])
  if (!existsSync('/usr/bin/qemu-system-x86_64')) {
    console.log('installing qemu-system-x86 with apt-get')
    output('apt-get', [...options, 'install', '-y', '--no-install-recommends', 'qemu-system-x86'])
  }
  // The package depends on that of the newest version.
  const newest = /Depends: (linux-image-\S+)/.exec(output('apt-cache', ['depends', kernelPackage]))?.[1]
  if (newest === undefined) throw new Error(`apt-cache doesn't know ${kernelPackage}`)
  output('apt-get', [...options, 'download', newest, 'busybox-static'], folder)
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    output('dpkg-deb', ['-x', join(folder, file), tree])
  const [kernel] = readdirSync(join(tree, 'boot')).filter((name) => name.startsWith('vmlinuz-'))
  return { tree, kernel: join(tree, 'boot', kernel ?? ''), busybox: join(tree, 'bin/busybox') }
}
