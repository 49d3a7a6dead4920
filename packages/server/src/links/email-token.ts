/** The token of a link that confirms a new email; its id alone is worth nothing. */
export function emailToken(sign: (text: string) => string, linkId: string): string {
  return sign(`email: ${linkId}`)
}
