import { execFile } from 'node:child_process'
import { killWithParent } from '../../core/kill-with-parent.ts'

const maxOutputBytes = 10_000_000

/** What npm of the agent's own machine prints. Never in a folder that strangers wrote. */
export function npmCommand(
  args: readonly string[],
  options: { cwd: string; environment: Readonly<Record<string, string>>; timeoutMs: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { cwd, environment, timeoutMs } = options
    const settings = { cwd, env: environment, timeout: timeoutMs, maxBuffer: maxOutputBytes }
    const [program, given] = killWithParent('npm', args)
    execFile(program, given, settings, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const why = error.killed ? `npm did not end within ${timeoutMs / 1000} s` : lastLines(stderr)
      reject(new Error(why || error.message, { cause: error }))
    })
  })
}

function lastLines(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/complete log of this run/.test(line))
  return lines.slice(-5).join('\n').slice(-2_000)
}
