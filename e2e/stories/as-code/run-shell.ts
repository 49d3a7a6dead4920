// Commands as a person types them into a shell, with no other variables than theirs.
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Outcome } from './published-cli.ts'

interface Reply {
  /** What the command prints before it waits. */
  question: string
  answer: string
}

/** Ends with the first command that fails. */
export async function runShell(
  command: string,
  cwd: string,
  environment: Record<string, string>,
  replies: readonly Reply[] = [],
): Promise<Outcome> {
  const child = spawn('bash', ['-e', '-c', command], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
      CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
      ...environment,
    },
  })
  const waiting = [...replies]
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
      if (waiting[0] !== undefined && printed.includes(waiting[0].question)) {
        child.stdin.write(`${waiting.shift()?.answer}\n`)
      }
    })
  }
  if (replies.length === 0) child.stdin.end()
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output: stripVTControlCharacters(printed) }
}

/** The settings of npm on this machine, such as its registry. */
export function npmSettings(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name))
  return Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
