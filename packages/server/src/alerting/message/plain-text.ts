// Fits untrusted text (names, errors of targets) into a line or a limit.

/** Replaces line breaks and control characters by spaces, so that text can't split a header, subject or log line. */
export function oneLine(text: string, max: number): string {
  return cut(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), max)
}

/** At most `max` UTF-16 code units, without splitting a surrogate pair. */
export function cut(text: string, max: number): string {
  const whole = text.toWellFormed()
  if (whole.length <= max) return whole
  const end = isLowSurrogate(whole.charCodeAt(max - 1)) ? max - 2 : max - 1
  return `${whole.slice(0, end)}…`
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
