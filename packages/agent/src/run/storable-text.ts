/** As a server can store it: without NUL, and without half a character, which a cut can leave too. */
export function storableText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\0', '').slice(0, maxChars).toWellFormed()
}
