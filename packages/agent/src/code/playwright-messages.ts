// Messages of Playwright's test runner. Pure.
import type { Failure } from '@vedette/contracts'

/** Without terminal escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
export const plain = (text: string) => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, '')

/** A message, followed by the last output of the program. */
export const withOutputTail = (message: string, output: string) =>
  output.trim() === '' ? message : `${message}: ${plain(output).trim()}`

/** Derives kind and phase from the error of a test or a script. */
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
