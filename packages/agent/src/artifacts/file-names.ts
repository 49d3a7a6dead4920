// Names of files in results: without secrets, without `..`, without control characters, and unique.
import type { Scrubber } from '../scrub/scrub.ts'

/** The limit of the contract, minus space for a number. */
const maxNameChars = 480

/** Truncates after scrubbing: half a secret isn't found. */
export function scrubName(name: string, scrubber: Scrubber): string {
  const scrubbed = scrubber.text(validName(name))
  // The end of a path is more useful than its beginning.
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

/** Makes names unique: a repeated name gets a number before its extension. */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  take(name: string): string {
    let free = name
    const dot = name.lastIndexOf('.')
    const at = dot > name.lastIndexOf('/') + 1 ? dot : name.length
    for (let next = this.#next.get(name) ?? 2; this.#taken.has(free); next++) {
      free = `${name.slice(0, at)}-${next}${name.slice(at)}`
      this.#next.set(name, next + 1)
    }
    this.#taken.add(free)
    return free
  }
}
