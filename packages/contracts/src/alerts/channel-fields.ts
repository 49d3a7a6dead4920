// What the channel types share: the shape of a definition, and fields that may contain {{NAME}}.
import { z } from 'zod'
import type { FlagKey } from '../accounts/plans.ts'

export interface ChannelDefinition {
  config: z.ZodObject
  /** Fields that are sealed at rest and masked for keys that only read; `*` means each entry of a list. */
  secretFields: readonly string[]
  /** The entitlement that an account needs. */
  entitlement?: FlagKey
  /** A config that the schema accepts. */
  example: Record<string, unknown>
}

/** Replaces secrets in responses. Sent back, it means "unchanged". */
export const secretMask = '***'

const template = /\{\{\{?[^{}]*\}\}\}?/g

/** Its variables are known only when it's used, so the literal part is validated. */
export const TemplatedHttpUrl = z
  .string()
  .min(1)
  .max(2048)
  .refine((value) => value === secretMask || isHttpUrl(value), 'must be an http or https URL')
  .meta({ pattern: String.raw`^([Hh][Tt]{2}[Pp][Ss]?:\/\/[^\s\/?#]|\{\{|\*{3}$)` })

export const ChannelName = z.string().max(200).default('')

export const PhoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{1,14}$/, 'must be a phone number in E.164 form, such as +14155550100')

function isHttpUrl(value: string): boolean {
  const literal = value.replace(template, 'x')
  if (/\s/.test(literal)) return false
  if (value.startsWith('{{')) return true
  return /^https?:\/\/[^/?#]/i.test(literal) && (literal !== value || URL.canParse(value))
}
