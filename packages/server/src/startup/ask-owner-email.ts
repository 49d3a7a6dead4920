// Asks the person at the terminal for the owner's address, once, beside the running server. Without a terminal nobody is
// asked, and the welcome says how to change it.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Email } from '@vedette/contracts'

export interface Owned {
  first: { owner: { email: string } } | null
  setOwnerEmail(email: string): Promise<void>
}

export async function askOwnerEmail(server: Owned): Promise<void> {
  if (!isAttended()) return
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // While it reads, the terminal's Ctrl-C comes here instead of as a signal.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const answer = askUntilValid((question) => terminal.question(question), server.first?.owner.email ?? '')
  const email = await answer.catch(() => null)
  terminal.close()
  process.stdin.unref()
  if (email === null) return
  const said = await server.setOwnerEmail(email).then(
    () => `The owner's address is ${email}.`,
    (error: Error) => `The address couldn't be stored: ${error.message}`,
  )
  process.stdout.write(`${said}\n\n`)
}

/** Null: Enter keeps the address. */
export async function askUntilValid(
  ask: (question: string) => Promise<string>,
  current: string,
): Promise<string | null> {
  let question = `Your email address (Enter keeps ${current}): `
  for (;;) {
    const text = (await ask(question)).trim()
    if (text === '' || text === current) return null
    if (Email.safeParse(text).success) return text
    question = `"${text}" isn't an email address. Try again, or press Enter to skip: `
  }
}

/** A terminal at both ends, and in the foreground: the system stops background processes that read from a terminal. */
function isAttended(): boolean {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return false
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
    return group === foreground
  } catch {
    return false
  }
}
