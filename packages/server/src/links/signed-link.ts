// Links in messages and API responses that open a page without a login. Each is signed for one resource of one account,
// an expiry and the account's link epoch, so nothing has to be stored per link and one update revokes all of them.
import { dayMs, hourMs } from '@vedette/contracts'
import { isSame, type Sign } from './subscription-link.ts'

/** The numbers are part of links that were sent: never reuse or change one. `ids`: how many ids name the resource. */
const kinds = {
  /** check id, result id */
  result: { code: 1, ids: 2 },
  check: { code: 2, ids: 1 },
  checkSession: { code: 3, ids: 1 },
  testSession: { code: 4, ids: 1 },
  /** test session id, result id */
  testResult: { code: 5, ids: 2 },
  analysis: { code: 6, ids: 1 },
  /** A test message of a channel, which has no resource. */
  testAlert: { code: 7, ids: 0 },
} as const

export type LinkKind = keyof typeof kinds

export interface SignedLink {
  kind: LinkKind
  ids: readonly string[]
  accountId: string
  expiresAt: number
}

/** Signs links of one account. */
export type LinkTo = (kind: LinkKind, ...ids: string[]) => string

export interface LinkSigning {
  publicUrl: string
  sign: Sign
  now: number
}

export const linkPath = '/r'
export const linkValidMs = 30 * dayMs

/** The same resource has the same link for an hour: clients that compare links see no change between two reads. */
const stepMs = hourMs
const macChars = 22
const headBytes = 21
const uuidBytes = 16

export function linkSigner({ publicUrl, sign, now }: LinkSigning, accountId: string, epoch: number): LinkTo {
  const expires = (Math.floor(now / stepMs) * stepMs + linkValidMs) / 1000
  return (kind, ...ids) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(kinds[kind].code, 0)
    head.writeUInt32BE(expires, 1)
    const payload = Buffer.concat([head, ...[accountId, ...ids].map(bytesOf)]).toString('base64url')
    return `${publicUrl}${linkPath}/${payload}${macOf(sign, payload, epoch)}`
  }
}

/** What a token claims. Don't use it before `isSigned` has confirmed it. */
export function readToken(token: string): SignedLink | null {
  if (!/^[\w-]{50,150}$/.test(token)) return null
  const payload = Buffer.from(token.slice(0, -macChars), 'base64url')
  if (payload.length < headBytes || (payload.length - headBytes) % uuidBytes !== 0) return null
  const [code, count] = [payload.readUInt8(0), (payload.length - headBytes) / uuidBytes]
  const kind = Object.keys(kinds)
    .filter(isLinkKind)
    .find((name) => kinds[name].code === code)
  if (kind === undefined || kinds[kind].ids !== count) return null
  const [accountId = '', ...ids] = Array.from({ length: count + 1 }, (_, index) => uuidAt(payload, index))
  return { kind, ids, accountId, expiresAt: payload.readUInt32BE(1) * 1000 }
}

function isLinkKind(name: string): name is LinkKind {
  return Object.hasOwn(kinds, name)
}

export function isSigned(sign: Sign, token: string, epoch: number): boolean {
  return isSame(token.slice(-macChars), macOf(sign, token.slice(0, -macChars), epoch))
}

/** 132 bits of the HMAC: links also go into text messages. */
function macOf(sign: Sign, payload: string, epoch: number): string {
  return sign(`page link, epoch ${epoch}: ${payload}`).slice(0, macChars)
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidAt(payload: Buffer, index: number): string {
  const start = 5 + index * uuidBytes
  const hex = payload.subarray(start, start + uuidBytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
