// The errors that a script or the test runner reported, as text. For the server and the app.
import { isRecord } from '../core/objects.ts'

/** Texts, objects with a stack or a message, or objects with such an error. Scripts wrote them: other shapes are left out. */
export function readScriptErrors(errors: unknown): string[] {
  if (!Array.isArray(errors)) return []
  return errors.flatMap((reported: unknown) => {
    const error = isRecord(reported) && isRecord(reported.error) ? reported.error : reported
    const text = isRecord(error) ? (error.stack ?? error.message) : error
    return typeof text === 'string' && text !== '' ? [stripTerminalCodes(text)] : []
  })
}

/** Playwright colors its messages for terminals. */
export function stripTerminalCodes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, '')
}
