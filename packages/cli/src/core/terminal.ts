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
    ask: (question) => ask(question, stderr),
    async askSecret(question) {
      stderr.write(question)
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
      const answer = await ask('', silent)
      stderr.write('\n')
      return answer
    },
    readInput: () => text(stdin),
    progress: (line) => {
      if (!isQuiet) stderr.write(`${line}\n`)
    },
  }
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const readline = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      // Ctrl-C, and Ctrl-D or the end of the input.
      readline.once('SIGINT', () => reject(new CommandError('Canceled: nothing was changed.')))
      readline.once('close', () => reject(new CommandError('Canceled: nothing was changed.')))
      readline.question(question).then((answer) => resolve(answer.trim()), reject)
    })
  } finally {
    readline.close()
  }
}
