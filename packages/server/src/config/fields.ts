// Kinds of settings that several of them are of.
import { isNetwork } from '@vedette/safeguards/address-policy'
import { z } from 'zod'

export const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

export const serviceUrl = (standard: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(standard)

/** As a text: the built-in agent reads its own. */
export const networks = z
  .string()
  .refine((text) => text.split(',').every((part) => part.trim() === '' || isNetwork(part)), {
    error: 'must be networks such as 10.0.0.0/8, with commas between',
  })
  .optional()
