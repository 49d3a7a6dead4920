/** The token of a link to choose a new password; its id alone is worth nothing. */
export function resetToken(sign: (text: string) => string, linkId: string): string {
  return sign(`password reset: ${linkId}`)
}
