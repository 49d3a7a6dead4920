// Arrays as PostgreSQL reads them: the driver would look at every character of every value, twice.

/**
 * Of numbers, UUIDs or words of our own, which need no quotes. Also for arrays within an array, whose inner ones
 * PostgreSQL takes as text.
 */
export function arrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Of any texts. */
export function quotedArrayText(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`
}

const control = /[^ -\uffff]/

function quoted(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  // JSON writes quotes and backslashes as PostgreSQL does, in native code; control characters and halves of pairs it does not.
  if (!control.test(text) && text.isWellFormed()) return JSON.stringify(text)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
