/**
 * A PostgreSQL array of numbers, UUIDs or words of our own, which need no escaping: the driver would look at every
 * character of them. Also for arrays within an array, whose inner ones PostgreSQL takes as text.
 */
export function arrayText(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}
