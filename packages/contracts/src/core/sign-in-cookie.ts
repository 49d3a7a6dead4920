// What a request with the cookie of a sign-in has.

/** Browsers don't let other sites send this header. */
export const appHeader = 'x-vedette-app'

export const signInCookieName = 'vedette-sign-in'

/** Browsers accept `__Host-` only over https and for this host alone, so other hosts of the domain can't plant a cookie. */
export function cookieNameAt(serverUrl: string, name: string): string {
  return serverUrl.startsWith('https:') ? `__Host-${name}` : name
}
