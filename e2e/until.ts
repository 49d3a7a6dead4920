import { setTimeout as sleep } from 'node:timers/promises'

/** Calls `find` until it returns a value; throws after `limitMs`. */
export async function until<T>(
  what: string,
  find: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 20_000,
): Promise<T> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    const found = await find()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > giveUpAt) throw new Error(`waited ${limitMs} ms for ${what}`)
    await sleep(100)
  }
}
