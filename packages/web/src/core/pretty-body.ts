/** JSON with line breaks; everything else as it is. */
export function prettyBody(text: string, contentType: string): string {
  const looksLikeJson = /json/i.test(contentType) || /^\s*[[{]/.test(text)
  if (!looksLikeJson) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
