// A person with a browser: it keeps the cookie, and sends what the app sends.
import { randomBytes, randomUUID } from 'node:crypto'
import { findIdentity, putIdentity } from '../storage/accounts/identities.ts'
import { insertOneTimeLink } from '../storage/accounts/one-time-links.ts'
import { insertPasskey } from '../storage/accounts/passkeys.ts'
import { putPasswordHash } from '../storage/accounts/passwords.ts'
import { insertSignIn } from '../storage/accounts/sign-ins.ts'
import { findUser, insertUser } from '../storage/accounts/users.ts'
import type { Caller, TestAnswer, TestApi } from './api.ts'
import { quickHasher } from './quick-hasher.ts'

export const testPassword = 'correct horse battery'

export interface Browser {
  /** name=value; empty: none. */
  cookie: string
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>
  signIn(email: string, password?: string): Promise<TestAnswer>
}

export function openBrowser({ nobody, url }: Pick<TestApi, 'nobody' | 'url'>): Browser {
  const browser: Browser = {
    cookie: '',
    async send(method, path, body, headers = {}) {
      const own: Record<string, string> = { 'x-vedette-app': '1', origin: url }
      if (browser.cookie !== '') own.cookie = browser.cookie
      const response = await nobody.send(method, path, body, { ...own, ...headers })
      const [set] = response.headers.getSetCookie()
      if (set !== undefined) browser.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '')
      return response
    },
    signIn: (email, password = testPassword) => browser.send('POST', '/v1/sign-in', { email, password }),
  }
  return browser
}

/** Gives a user the password of tests; returns the email. */
export async function giveTestPassword(
  { store }: Pick<TestApi, 'store'>,
  userId: string | null,
): Promise<string> {
  const user = await findUser(store.db, userId ?? '')
  if (user === null) throw new Error(`There is no user ${userId}`)
  await putPasswordHash(store.db, user.id, await quickHasher.hash(testPassword), new Date())
  return user.email
}

/** A sign-in of the owner, and people of their own for requests that change them. */
export async function createSignIns({ store }: Pick<TestApi, 'store'>, owner: Caller) {
  const { db } = store
  const now = Date.now()
  const newUser = async (name: string) => {
    const { id } = await insertUser(db, { id: randomUUID(), name, email: `${randomUUID()}@example.com` })
    return { id, email: await giveTestPassword({ store }, id) }
  }
  const guest = await newUser('Guest')
  const newcomer = await newUser('Newcomer')
  const forgetful = await newUser('Forgetful')
  const userId = owner.userId ?? guest.id
  await giveTestPassword({ store }, userId)
  const { row } = await insertSignIn(db, { userId, address: '192.0.2.1', userAgent: null, now })
  const passkey = await insertPasskey(db, {
    ...{ userId, name: 'Laptop', counter: 0, transports: ['internal'], now },
    credentialId: randomBytes(16),
    publicKey: randomBytes(77),
  })
  const subject = { issuer: 'https://id.example', subject: userId }
  await putIdentity(db, { ...subject, userId, email: null, now })
  const identity = await findIdentity(db, subject)
  return {
    id: row.id,
    passkeyId: passkey.id,
    identityId: identity?.id,
    email: guest.email,
    setupToken: await insertOneTimeLink(db, { kind: 'setup', userId: newcomer.id, now }),
    resetToken: await insertOneTimeLink(db, { kind: 'reset', userId: forgetful.id, now }),
  }
}
