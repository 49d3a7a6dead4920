// Secrets that came up while a script ran, as its instruments noted them; the script can write there too. Pure.

const maxSecrets = 30
const maxChars = 200_000

/** Not endlessly many: to look for them would be the agent's end, not the script's. */
export function foundSecrets(noted: readonly unknown[]): string[] {
  const values = new Set(noted.filter((value): value is string => typeof value === 'string'))
  let chars = 0
  return [...values].slice(0, maxSecrets).filter((value) => {
    chars += value.length
    return chars <= maxChars
  })
}
