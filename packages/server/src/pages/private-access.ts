// Private pages. A visitor unlocks one with a key and keeps a signed cookie for 30 days. It is bound to the page and to the key, so
// that it ends when the key is deleted. Feed readers send the key as the password of HTTP Basic authentication.
import { timingSafeEqual } from 'node:crypto'
import { dayMs } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../core/address-bucket.ts'
import { html } from '../core/html.ts'
import { isSame } from '../links/subscription-link.ts'
import { hashKey } from '../storage/accounts/api-keys.ts'
import type { PagesDeps } from './deps.ts'
import { fieldOf } from './form.ts'
import { limit } from './limit.ts'
import { sendPage } from './page.ts'
import { speechFor } from './texts/speech.ts'

export interface Lock {
  /** Of the page, among all pages. */
  id: string
  name: string
  keys: readonly { id: string; hash: Buffer }[]
}

const sessionMs = 30 * dayMs
const perVisitor = { limit: 10, seconds: 60 }
const perPage = { limit: 300, seconds: 3600 }

export function isUnlocked(request: FastifyRequest, lock: Lock, { vault, clock }: PagesDeps): boolean {
  const cookie = readCookie(request.headers.cookie, cookieName(lock))
  const [keyId = '', expires = '', signature = ''] = cookie?.split('.') ?? []
  if (lock.keys.some(({ id }) => id === keyId) && Number(expires) > clock.now()) {
    if (isSame(signature, vault.sign(signedText(lock, keyId, expires)))) return true
  }
  const password = basicPassword(request.headers.authorization)
  return password !== null && keyOf(lock, password) !== null
}

/** Sets the cookie and returns to the page, or shows the form again. */
export async function unlock(
  request: FastifyRequest,
  reply: FastifyReply,
  lock: Lock,
  base: string,
  deps: PagesDeps,
): Promise<FastifyReply> {
  await limitGuesses(request, lock, deps)
  const key = keyOf(lock, fieldOf(request.body, 'key')?.trim() ?? '')
  if (key === null) return sendUnlockForm(request, reply, lock, base, true)
  const expires = String(deps.clock.now() + sessionMs)
  const value = `${key}.${expires}.${deps.vault.sign(signedText(lock, key, expires))}`
  const attributes = [
    `${cookieName(lock)}=${value}`,
    `Path=${base || '/'}`,
    `Max-Age=${sessionMs / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(request.protocol === 'https' ? ['Secure'] : []),
  ]
  return reply.header('set-cookie', attributes.join('; ')).redirect(base || '/', 303)
}

export function sendUnlockForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { name }: Lock,
  base: string,
  isWrong = false,
): FastifyReply {
  const { language, texts } = speechFor(request)
  const body = html`${isWrong ? html`<p class="reason failing" role="alert">${texts.wrongKey}</p>` : null}
<p>${texts.privatePage}</p>
<form method="post" action="${base}/unlock?lang=${language}">
<label for="key">${texts.key}</label>
<input id="key" type="password" name="key" required autocomplete="current-password">
<button type="submit">${texts.open}</button>
</form>`
  return sendPage(reply, { status: 401, language, title: name, body })
}

async function limitGuesses(request: FastifyRequest, lock: Lock, deps: PagesDeps): Promise<void> {
  for (const [bucket, rule] of [
    [`unlock:${lock.id}:${addressBucket(request)}`, perVisitor],
    [`unlock:${lock.id}`, perPage],
  ] as const) {
    await limit(deps, bucket, rule, 'Too many keys were tried.')
  }
}

/** The id of the key; null: it opens nothing here. */
function keyOf({ keys }: Lock, sent: string): string | null {
  const hash = hashKey(sent)
  return keys.find((key) => timingSafeEqual(key.hash, hash))?.id ?? null
}

function cookieName({ id }: Lock): string {
  return `vedette_page_${id.replace(/[^\w-]/g, '_')}`
}

function signedText({ id }: Lock, keyId: string, expires: string): string {
  return `page session: ${id} ${keyId} ${expires}`
}

function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return null
}

function basicPassword(header: string | undefined): string | null {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}
