// Finds buildah, mmdebstrap and podman, or installs them from Debian's packages. None of them needs a daemon.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../../until.ts'

const packages = {
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
  podman: 'podman',
  catatonit: 'catatonit',
  runc: 'runc',
  'fuse-overlayfs': 'fuse-overlayfs',
} as const

export function ensureTools(): void {
  const missing = Object.entries(packages).flatMap(([program, name]) => (isThere(program) ? [] : [name]))
  if (missing.length === 0) return
  console.log(`installing ${missing.join(', ')} with apt-get`)
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', [...options, 'update'], { stdio: ['ignore', 'ignore', 'inherit'], env })
  const install = [...options, 'install', '-y', '--no-install-recommends', ...missing]
  execFileSync('apt-get', install, { stdio: ['ignore', 'ignore', 'inherit'], env })
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Resolves to its output; rejects with the end of its output. */
export async function run(command: string, args: string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 1 << 28 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const tail = `${stdout}\n${stderr}`.trim().split('\n').slice(-25).join('\n')
    throw new Error(`${command} ${args.join(' ')} failed:\n${tail}`)
  }
}

/** The overlay driver mounts its directory onto itself: it must be unmounted before it can be deleted. */
export async function removeStore(folder: string, store: string): Promise<void> {
  // A process of podman that outlives its container may mount it, or write its state, once more.
  await until(`${folder} to be removed`, async () => {
    await run('umount', ['--lazy', join(store, 'overlay')]).catch(() => undefined)
    const remove = run('rm', ['--recursive', '--force', '--one-file-system', folder])
    return remove.then(
      () => true,
      () => false,
    )
  })
}

export interface Started {
  output(): string
  hasEnded(): boolean
  /** Sends SIGTERM, and waits for its end. */
  stop(): Promise<void>
}

export function startProcess(command: string, args: string[], onStop: () => Promise<void>): Started {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-1_000_000)
    })
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    output: () => output,
    hasEnded,
    async stop() {
      if (!hasEnded()) await onStop()
      if (!hasEnded()) child.kill('SIGTERM')
      await closed
    },
  }
}
