/** Whether all words begin a word of the text, in any case: `mute che` finds `Mute this check for 1 h`. */
export function matchesWords(text: string, query: string): boolean {
  const words = wordsOf(text)
  return wordsOf(query)
    .filter(Boolean)
    .every((typed) => words.some((word) => word.startsWith(typed)))
}

/** Signs are left out of both: `theme: dark` finds `Theme: dark`. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
}
