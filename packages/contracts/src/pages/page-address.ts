// Addresses of dashboards and status pages, and the links on them.
import { z } from 'zod'
import { HttpUrlOrEmpty } from '../core/fields.ts'

export const Subdomain = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[A-Za-z0-9-]+$/, 'must be letters, digits and hyphens')

/** An empty string means "none" in bodies of existing clients, and must not collide with another "none". */
export const SubdomainOrNone = z
  .string()
  .max(63)
  .regex(/^[A-Za-z0-9-]*$/, 'must be letters, digits and hyphens')
  .nullable()
  .overwrite(noneWhenEmpty)

/** Not for new pages: such names below STATUS_DOMAIN and DASHBOARDS_DOMAIN could pass for parts of the installation. */
export const reservedNames: readonly string[] = ['www', 'api', 'app', 'admin', 'mail', 'status']

const hostName =
  /^(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)?$/

/** URL parsers take a name whose last label is a number for an IPv4 address. */
const address = /(^|\.)(\d+|0x[\da-f]*)$/

export const DomainOrNone = z
  .string()
  .overwrite(normalizeHostName)
  .max(253)
  .regex(hostName, 'must be a host name, such as status.example.com')
  .refine((name) => !address.test(name), 'must be a host name, not an IP address')
  .refine((name) => !name.endsWith('.localhost'), 'must be a name that visitors can resolve, not localhost')
  .nullable()
  .overwrite(noneWhenEmpty)

export const HttpUrlOrNone = HttpUrlOrEmpty.nullable().overwrite(noneWhenEmpty)

const contactUrlPattern = /^(?:https?:\/\/[^\s/?#]+\S*|mailto:[^\s@?]+@[^\s@?]+(?:\?\S*)?)$/i

/** A page or an email address. Other schemes, such as javascript, could run code on the page. */
export const ContactUrl = z
  .string()
  .max(2048)
  .regex(contactUrlPattern, 'must be an http or https URL, or mailto: with an email address')
  .refine((value) => URL.canParse(value), 'must be a valid URL')
  .meta({ format: 'uri' })

export const ContactUrlOrNone = z
  .union([z.literal(''), ContactUrl])
  .nullable()
  .overwrite(noneWhenEmpty)

function noneWhenEmpty(value: string | null): string | null {
  return value === '' ? null : value
}

/** Lower case, without a final dot, and with Punycode for other letters than ASCII. */
export function normalizeHostName(name: string): string {
  const plain = name.trim().toLowerCase().replace(/\.$/, '')
  // Anything but letters could be another part of a URL.
  if (/^[ -~]*$/.test(plain) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(plain)) return plain
  return URL.parse(`http://${plain}/`)?.host ?? plain
}
