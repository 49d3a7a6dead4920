/** Whether all words begin a word of the text, in any case: `mute che` finds `Mute this check for 1 h`. */
export function matchesWords(text: string, query: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((typed) => words.some((word) => word.startsWith(typed)))
}
