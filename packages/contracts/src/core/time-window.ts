import { z } from 'zod'

/** The latest time that the API accepts. */
export const endOfYear9999 = 253_402_300_799

/** An instant in a query: UNIX time in seconds. */
export const UnixSeconds = z
  .number('must be a UNIX timestamp in seconds')
  .min(0, 'must be a UNIX timestamp in seconds')
  .max(endOfYear9999, 'must be a UNIX timestamp in seconds')

export const WindowQuery = z.object({
  from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive; 6 hours before now when left out'),
  to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; 6 hours after from when left out'),
})

/** The longest window of a list. */
export const maxWindowHours = 6
