// The name of a file as people see it: no secret in it, no way out of a folder, nothing that a terminal would act on.
import type { Scrubber } from '../scrub/scrub.ts'

/** As the contract has it, less the room for a number. */
const maxNameChars = 480

/** The same as the results say that name it. Cut at last: half a secret is no longer found. */
export function scrubName(name: string, scrubber: Scrubber): string {
  const scrubbed = scrubber.text(validName(name))
  // Its end tells more of a file than its beginning.
  return scrubbed.length <= maxNameChars ? scrubbed : `…${scrubbed.slice(1 - maxNameChars)}`.toWellFormed()
}

export function validName(name: string): string {
  const parts = name
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
    .replace(/[\x00-\x1f\x7f-\x9f\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '_')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  return parts.join('/') || 'file'
}
