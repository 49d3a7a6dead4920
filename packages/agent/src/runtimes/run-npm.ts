// npm as a program of this machine: told what to do in a folder, with none of the agent's secrets in its environment.
import { spawn } from 'node:child_process'
import { killWithParent, notFoundCode } from '../core/kill-with-parent.ts'

export interface NpmRun {
  folder: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

const keptBytes = 4_000

/** Rejects with the last words of npm. */
export function runNpm({ folder, args, environment, signal }: NpmRun): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const [program, given] = killWithParent('npm', args)
    const child = spawn(program, given, {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    const listen = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-keptBytes)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    const abort = () => child.kill('SIGKILL')
    signal?.addEventListener('abort', abort)
    child.once('error', (cause) => {
      signal?.removeEventListener('abort', abort)
      reject(new Error(cannotStart(cause.message), { cause }))
    })
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return reject(signal.reason)
      if (code === 0) return resolve()
      if (code === notFoundCode) return reject(new Error(cannotStart(lastErrors(said))))
      reject(new Error(`npm ${args[0]} failed (${killedBy ?? `exit ${code}`}): ${lastErrors(said)}`))
    })
  })
}

const cannotStart = (why: string) => `npm can't be started (${why}): it must be on the PATH`

/** Without what npm says to everyone: where its log is, and how to ask for help. */
function lastErrors(said: string): string {
  const lines = said.split('\n').filter((line) => /^npm (error|ERR!)/.test(line))
  const telling = lines.map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  const kept = telling.filter((line) => line !== '' && !/complete log of this run|_logs\//.test(line))
  return kept.slice(0, 6).join('; ') || said.trim().split('\n').at(-1) || 'it said nothing'
}
