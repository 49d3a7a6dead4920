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

const hostName =
  /^(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)?$/

export const HostNameOrNone = z
  .string()
  .max(253)
  .regex(hostName, 'must be a host name, such as status.example.com')
  .nullable()
  .overwrite(noneWhenEmpty)

export const HttpUrlOrNone = HttpUrlOrEmpty.nullable().overwrite(noneWhenEmpty)

function noneWhenEmpty(value: string | null): string | null {
  return value === '' ? null : value
}
