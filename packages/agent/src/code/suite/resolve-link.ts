import { entryError } from './bundle-error.ts'

const maxHops = 40

/**
 * Where a link of the bundle leads, other links on the way followed as the kernel would: `a/..` is not the folder that a
 * stands in when a is a link. Throws when it leads outside.
 */
export function resolveLink(path: string, target: string, links: ReadonlyMap<string, string>): string {
  const refuse = (why: string) =>
    entryError(path, `is a link to ${JSON.stringify(target.slice(0, 200))}, ${why}`)
  let hops = 0
  const walk = (from: readonly string[], to: string): string[] => {
    if (++hops > maxHops) throw refuse('which leads in a circle')
    if (to === '' || to.includes('\0') || to.includes('\\')) throw refuse('which is not allowed')
    if (to.startsWith('/')) throw refuse('which is an absolute path')
    let at = [...from]
    for (const part of to.split('/')) {
      if (part === '' || part === '.') continue
      if (part === '..') {
        if (at.length === 0) throw refuse('which leads out of the bundle')
        at = at.slice(0, -1)
        continue
      }
      const next = links.get([...at, part].join('/'))
      at = next === undefined ? [...at, part] : walk(at, next)
    }
    return at
  }
  return walk(path.split('/').slice(0, -1), target).join('/')
}
