// What a small file of the system says, read anew when it has changed. Without threads of the pool, which looking up
// names must not wait for; a look at the file's date takes some microseconds.
import { readFileSync, statSync } from 'node:fs'

/** A file that is not there says what an empty one says; the same content gives the same object. */
export function watchedFile<T>(path: string, parse: (text: string) => T): () => T {
  let known: { stamp: string; value: T } | undefined
  return () => {
    const stamp = stampOf(path)
    if (known?.stamp !== stamp) known = { stamp, value: parse(stamp === '' ? '' : textOf(path)) }
    return known.value
  }
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : ''
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
