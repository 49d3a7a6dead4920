// Asks for the owner's email address at the terminal, once, while the server runs. Without a terminal it isn't asked for, and
// the welcome text explains how to change it.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Email } from '@vedette/contracts'

export interface ServerWithOwner {
  first: { owner: { email: string } } | null
  setOwnerEmail(email: string): Promise<void>
}

export async function askOwnerEmail(server: ServerWithOwner): Promise<void> {
  if (!isAttended()) return
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // While readline reads, Ctrl-C is an event of the terminal instead of a signal.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const current = server.first?.owner.email ?? ''
  const reply = askUntilValid((question) => terminal.question(question), current)
  const email = await reply.catch(() => null)
  terminal.close()
  process.stdin.unref()
  if (email === null) return
  const outcome = await server.setOwnerEmail(email).then(
    () => `The owner's address is ${email}.`,
    (error: Error) => `The address couldn't be stored: ${error.message}`,
  )
  process.stdout.write(`${outcome}\n\n`)
}

/** Null: the address stays unchanged. */
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

/** Stdin and stdout are a terminal, and the process is in its foreground: the kernel stops background processes that read. */
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
