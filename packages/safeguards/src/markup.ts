/** For HTML and XML, in text and in quoted attributes; characters that XML forbids are removed. */
export function escapeMarkup(text: string): string {
  if (!special.test(text)) return text
  return text
    .toWellFormed()
    .replace(forbiddenInXml, '')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)
}

/** Most texts have none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const special = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const forbiddenInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
