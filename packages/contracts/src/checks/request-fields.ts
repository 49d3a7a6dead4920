// Fields that requests of several check types share.
import { z } from 'zod'

export const IpFamily = z.enum(['IPv4', 'IPv6'])

/** The URL of a request. May contain {{templates}}; a literal scheme must be http or https. */
export const RequestUrl = z
  .string()
  .min(1)
  .max(2048)
  // An approximation of the rule below, for the document.
  .regex(/^(https?:\/\/[^\s/?#]|[^:]*\{\{)/i, 'must be an http or https URL')
  .refine((url) => isRequestUrl(url), 'must be an http or https URL')

export function isRequestUrl(url: string): boolean {
  const template = url.indexOf('{{')
  if (template === -1) return /^https?:\/\/[^\s/?#]/i.test(url) && URL.canParse(url)
  const literal = url.slice(0, template)
  return !literal.includes(':') || /^https?:\/\//i.test(literal)
}

/** A host name or address, without scheme, path or credentials. */
export const Hostname = z
  .string()
  .min(1)
  .max(2048)
  .regex(/^[^\s/?#@\\]+$/, 'must be a host name or an IP address')

export const Port = z.int().min(1).max(65_535)
