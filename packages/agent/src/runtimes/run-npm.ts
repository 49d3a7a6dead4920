// Runs the npm of this machine, without the agent's secrets in its environment.

import { spawn } from 'node:child_process'
import { systemTool } from '../core/system-tool.ts'

export interface NpmRun {
  /** Never one that users wrote to: npm reads settings from it. */
  folder: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

const keptChars = 4_000
const maxStdoutChars = 100_000

/** Resolves with what npm printed; rejects with its last errors. */
export function runNpm({ folder, args, environment, timeoutMs, signal }: NpmRun): Promise<string> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const [program, given] = killWithParent('npm', args)
    const child = spawn(program, given, {
      cwd: folder,
      // npm keeps compiled code in the temporary directory, where other users could put theirs.
      env: { ...environment, NODE_DISABLE_COMPILE_CACHE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let tail = ''
    const keepTail = (chunk: Buffer) => {
      tail = `${tail}${chunk}`.slice(-keptChars)
    }
    child.stdout.on('data', (chunk: Buffer) => {
      if (stdout.length < maxStdoutChars) stdout += chunk
      keepTail(chunk)
    })
    child.stderr.on('data', keepTail)
    const abort = () => child.kill('SIGKILL')
    signal?.addEventListener('abort', abort)
    child.once('error', (cause) => {
      signal?.removeEventListener('abort', abort)
      reject(new Error(cannotStart(cause.message), { cause }))
    })
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return reject(signal.reason)
      if (code === 0) return resolve(stdout)
      if (code === notFoundCode) return reject(new Error(cannotStart(lastErrors(tail))))
      if (timeoutMs !== undefined && child.killed)
        return reject(new Error(`npm ${args[0]} didn't finish within ${timeoutMs / 1000} s`))
      reject(new Error(`npm ${args[0]} failed (${killedBy ?? `exit ${code}`}): ${lastErrors(tail)}`))
    })
  })
}

const cannotStart = (why: string) => `npm can't be started (${why}): it must be on the PATH`

/** Without the lines that npm always prints: the path of its log, how to get help. */
function lastErrors(output: string): string {
  const lines = output.split('\n').filter((line) => /^npm (error|ERR!)/.test(line))
  const errors = lines.map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  const kept = errors.filter((line) => line !== '' && !/complete log of this run|_logs\//.test(line))
  return kept.slice(0, 6).join('; ') || output.trim().split('\n').at(-1) || 'it printed nothing'
}

// For programs that must not outlive the agent: the kernel kills them when the agent ends, even if it is killed.
const setpriv = systemTool('setpriv')

/** Returns arguments for `spawn`. On other systems than Linux the program is unchanged. */
export function killWithParent(program: string, args: readonly string[]): [string, string[]] {
  if (setpriv === null) return [program, [...args]]
  return [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]]
}

/** The exit code of setpriv if the program isn't found. */
const notFoundCode = 127
