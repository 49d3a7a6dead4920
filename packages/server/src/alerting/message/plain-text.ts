// Texts that others wrote (names, errors of targets), made fit for a line, a limit or a markup.

/** Line breaks and control characters become spaces: no header, subject or log line can be split with them. */
export function oneLine(text: string, max: number): string {
  return cut(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), max)
}

/** At most `max` UTF-16 units, and no half of an emoji at the end. */
export function cut(text: string, max: number): string {
  const whole = text.toWellFormed()
  if (whole.length <= max) return whole
  const end = isLowSurrogate(whole.charCodeAt(max - 1)) ? max - 2 : max - 1
  return `${whole.slice(0, end)}…`
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
