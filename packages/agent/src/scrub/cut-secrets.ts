// Values are truncated when they are judged, before they are scrubbed, and then end with "…". A truncated secret isn't found
// as a whole: the text before the mark is masked if a secret begins with it.

const cutMark = '…'
const minChars = 3
const maxChars = 64
/** Longer texts are bodies, which are truncated after they are scrubbed. */
const longestText = 20_000

/** For texts that may still contain secrets: truncates at the end only, with the mark. */
export function cutEnd(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}${cutMark}` : text
}

export function cutSecretMasker(forms: ReadonlySet<string>, mask: string): (text: string) => string {
  const heads = new Set([...forms].map((form) => form.slice(0, minChars)))
  return (text) => {
    if (text.length > longestText || !text.includes(cutMark)) return text
    const parts = text.split(cutMark)
    const last = parts.pop() ?? ''
    return [...parts.map((part) => maskEnd(part, forms, heads, mask)), last].join(cutMark)
  }
}

function maskEnd(part: string, forms: ReadonlySet<string>, heads: ReadonlySet<string>, mask: string): string {
  for (let from = Math.max(0, part.length - maxChars); from <= part.length - minChars; from++) {
    if (!heads.has(part.slice(from, from + minChars))) continue
    const end = part.slice(from)
    for (const form of forms) if (form.startsWith(end)) return part.slice(0, from) + mask
  }
  return part
}
