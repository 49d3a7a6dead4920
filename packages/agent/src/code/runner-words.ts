// What Playwright's runner says, as we tell it. Pure.
import type { Failure } from '@vedette/contracts'

/** Without the colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
export const plain = (text: string) => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, '')

/** The last words of a program, behind a message. */
export const behind = (output: string) => (output.trim() === '' ? '' : `: ${plain(output).trim()}`)

/** By the message of the error that a test or a script ended with. */
export function failureOf(message: string): Failure {
  const isTestTimeout = /^(?:Error: )?Test timeout of \d+ ?ms exceeded/.test(message)
  const isTimeout = isTestTimeout || /\bTimeout \d+ ?ms exceeded|TimeoutError/.test(message)
  // An auto-retrying matcher mentions its own timeout too; that it polled doesn't make it a timeout.
  const isAssertion = !isTestTimeout && /\bexpect(?:\.\w+)?\(|^AssertionError|Assertion/.test(message)
  return {
    kind: isAssertion ? 'assertion' : isTimeout ? 'timeout' : 'script',
    phase: isAssertion ? 'judge' : 'wait',
    message,
  }
}
