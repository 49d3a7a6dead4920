// Runs the npm of this machine, without the agent's secrets in its environment.

import { type ExecFileException, execFile } from 'node:child_process'
import { addAbortListener } from 'node:events'
import { promisify } from 'node:util'
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
const maxOutputBytes = 10_000_000

/** Resolves with what npm printed; rejects with its last errors. */
export async function runNpm({ folder, args, environment, timeoutMs, signal }: NpmRun): Promise<string> {
  signal?.throwIfAborted()
  const running = promisify(execFile)(...killWithParent('npm', args), {
    cwd: folder,
    // npm keeps compiled code in the temporary directory, where other users could put theirs.
    env: { ...environment, NODE_DISABLE_COMPILE_CACHE: '1' },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
  })
  running.child.stdin?.end()
  // Without the option `signal`, which doesn't wait for the end of npm.
  using _ = signal && addAbortListener(signal, () => running.child.kill('SIGKILL'))
  try {
    return (await running).stdout
  } catch (cause) {
    signal?.throwIfAborted()
    const { code, signal: killedBy, killed, message, stdout = '', stderr = '' } = cause as ExecFileException
    if (code === 'ENOENT') throw new Error(cannotStart(message), { cause })
    const errors = lastErrors(`${stdout}${stderr}`.slice(-keptChars))
    if (code === notFoundCode) throw new Error(cannotStart(errors), { cause })
    if (timeoutMs !== undefined && killed && code === null)
      throw new Error(`npm ${args[0]} didn't finish within ${timeoutMs / 1000} s`, { cause })
    throw new Error(`npm ${args[0]} failed (${killedBy ?? `exit ${code}`}): ${errors}`, { cause })
  }
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
