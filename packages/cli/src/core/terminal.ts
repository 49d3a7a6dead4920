// Questions are written to stderr: stdout is for what a command prints.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError } from './connection.ts'

export interface Terminal {
  /** Whether somebody can answer questions. */
  isInteractive: boolean
  ask(question: string): Promise<string>
  /** Doesn't show what is typed. */
  askSecret(question: string): Promise<string>
  /** Everything that is piped into the command. */
  readInput(): Promise<string>
  /** A line for a person who waits. */
  progress(line: string): void
}

export function openTerminal({ isQuiet }: { isQuiet: boolean }): Terminal {
  const { stdin, stderr } = process
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    ask: (question) => ask(question, { isShown: true }),
    askSecret: (question) => ask(question, { isShown: false }),
    readInput: () => text(stdin),
    progress: (line) => {
      if (!isQuiet) stderr.write(`${line}\n`)
    },
  }
}

async function ask(question: string, { isShown }: { isShown: boolean }): Promise<string> {
  const { stdin, stderr } = process
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on the terminal itself shows nothing of what is typed.
  const readline = createInterface({ input: stdin, output: isShown ? stderr : silent, terminal: true })
  if (!isShown) stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new CommandError('Canceled: nothing was changed.'))
      readline.once('SIGINT', cancel)
      // Ctrl-D, or the end of the input.
      readline.once('close', cancel)
      readline.question(question).then((answer) => resolve(answer.trim()), reject)
    })
  } finally {
    readline.close()
    if (!isShown) stderr.write('\n')
  }
}
