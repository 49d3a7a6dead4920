// Schemas that several settings share.
import { isNetwork } from '@vedette/safeguards/address-policy'
import { z } from 'zod'

export const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

export const serviceUrl = (defaultUrl: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(defaultUrl)

export const hostName = z
  .string()
  .toLowerCase()
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'must be a host name, such as status.example.com',
  )

/** A text: the built-in agent parses its own networks. */
export const networks = z
  .string()
  .refine((text) => text.split(',').every((part) => part.trim() === '' || isNetwork(part)), {
    error: 'must be networks such as 10.0.0.0/8, separated by commas',
  })
  .optional()
