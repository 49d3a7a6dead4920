// Programs of Debian, run as a user without privileges.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync } from 'node:fs'
import { promisify } from 'node:util'

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | object {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Installs the packages of which a program is missing. */
export function ensurePackages(programs: Record<string, string>): void {
  const missing = Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name]))
  if (missing.length > 0) installNewest(missing)
}

/** Also upgrades those that are installed. */
export function installNewest(packages: readonly string[]): void {
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  if (process.getuid?.() !== 0) throw new Error(`as root, run: apt-get ${install.join(' ')}`)
  console.log(`installing ${packages.join(', ')} with apt-get`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const words of [['update'], install])
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    })
}

export function own(path: string): void {
  const user = unprivileged()
  if ('uid' in user) chownSync(path, user.uid, user.gid)
}

export async function run(
  program: string,
  words: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const options = { ...unprivileged(), env: { ...process.env, ...env }, cwd: '/' }
  const { stdout } = await promisify(execFile)(program, words, options)
  return String(stdout)
}

export function launch(program: string, words: string[]): ChildProcess {
  return spawn(program, words, { ...unprivileged(), cwd: '/', stdio: ['ignore', 'ignore', 'ignore'] })
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}
