/** The token of the link of an invite; its id alone is worth nothing. */
export function inviteToken(sign: (text: string) => string, linkId: string): string {
  return sign(`invite: ${linkId}`)
}
