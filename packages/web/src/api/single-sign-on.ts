// To the identity provider and back.
import { basePath } from './base-path.ts'
import { call } from './call.ts'

const remembered = 'vedette.next'

interface Start {
  /** Where to go afterwards: a path of the app. */
  next: string
  isConfirmation?: boolean
  invitationToken?: string
}

/** Leaves the app. */
export async function goToProvider({ next, ...body }: Start): Promise<void> {
  const { url } = await call('POST /v1/sign-in/single-sign-on/start', { body })
  sessionStorage.setItem(remembered, next)
  location.assign(url)
}

/** As it was given to `goToProvider`: `/` if this tab didn't begin. */
export function takeNext(): string {
  const next = sessionStorage.getItem(remembered) ?? '/'
  sessionStorage.removeItem(remembered)
  return next
}

/** The path of the screen that is open. */
export function currentPath(): string {
  return location.pathname.slice(basePath.length) + location.search
}
