// What of a response is compared: what changes between two reads without a cause is left out.
import { createHash } from 'node:crypto'
import type { Api } from '../load.ts'

/** Reading changes it. */
const volatileFields = ['lastUsedAt']

/** Links are signed again in each response: their target is compared, and for files the bytes. */
export async function normalize(api: Api, value: unknown, key = ''): Promise<unknown> {
  if (volatileFields.includes(key)) return typeof value
  if (Array.isArray(value)) return Promise.all(value.map((item) => normalize(api, item, key)))
  if (typeof value === 'object' && value !== null) {
    // The description of an entitlement is a text of the product, not data: it names the check types of the version.
    const compared = Object.entries(value).filter(
      ([name]) => key !== 'entitlements' || name !== 'description',
    )
    const entries = compared.map(async ([name, item]) => [name, await normalize(api, item, name)])
    return Object.fromEntries(await Promise.all(entries))
  }
  if (typeof value !== 'string') return value
  const [, token] = /\/r\/([\w-]{50,})$/.exec(value) ?? []
  if (token !== undefined) return `link to ${targetOf(token)}`
  if (!/signature(=|%3D)/.test(value)) return value
  const unsigned = value.replaceAll(/((?:expires|signature)(?:=|%3D))[^&%]*/g, '$1…')
  if (key !== 'url') return unsigned
  const file = await fetch(new URL(value, api.url()))
  return { unsigned, status: file.status, sha256: sha256(Buffer.from(await file.arrayBuffer())) }
}

const linkSignatureChars = 22

/** What a link to a page names: its kind and ids. Its expiry, in bytes 1 to 4, changes each hour. */
function targetOf(token: string): string {
  const payload = Buffer.from(token.slice(0, -linkSignatureChars), 'base64url')
  return `${payload[0]} ${payload.toString('hex', 5)}`
}

/** A badge may be drawn differently: its title, with label and message, is compared. */
export function contentOf(type: string, body: Buffer): string {
  const title = type.startsWith('image/svg+xml')
    ? /<title>(.+?)<\/title>/.exec(body.toString())?.[1]
    : undefined
  return title ?? sha256(body)
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
