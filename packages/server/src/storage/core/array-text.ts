// PostgreSQL's text of arrays. The driver would scan every character of every value twice.

/**
 * For values that need no quotes: numbers, UUIDs and our own words. Also for arrays within an array, which are passed as
 * text.
 */
export function arrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** For any texts. */
export function quotedArrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quote(String(value)))).join(',')}}`
}

const control = /[^ -\uffff]/

function quote(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  // JSON.stringify is native code and escapes quotes and backslashes as PostgreSQL does, but not control characters and
  // lone surrogates.
  if (!control.test(text) && text.isWellFormed()) return JSON.stringify(text)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
