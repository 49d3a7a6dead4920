import { entryError } from './suite-errors.ts'

const maxHops = 40

/**
 * The target of a link in the bundle, with other links on the way resolved like the kernel does: if `a` is a link, `a/..` isn't
 * the directory of `a`. Throws if it leads outside.
 */
export function resolveLink(path: string, target: string, links: ReadonlyMap<string, string>): string {
  const refuse = (why: string) =>
    entryError(path, `is a link to ${JSON.stringify(target.slice(0, 200))}, ${why}`)
  let hops = 0
  const resolve = (from: readonly string[], to: string): string[] => {
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
      at = next === undefined ? [...at, part] : resolve(at, next)
    }
    return at
  }
  return resolve(path.split('/').slice(0, -1), target).join('/')
}
