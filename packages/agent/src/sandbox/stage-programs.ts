// Copies programs that run in a sandbox, as plain JavaScript: a checkout has TypeScript sources, a package compiled ones.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'

const ownExtension = extname(import.meta.url)

/** All programs of a directory: our modules become .mjs, .cjs files are copied as they are. */
export async function stagePrograms(from: string, into: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => ['.cjs', ownExtension].includes(extname(name)))
  await Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(from, name), 'utf8')
      const isModule = !name.endsWith('.cjs')
      const target = isModule ? `${name.slice(0, -ownExtension.length)}.mjs` : name
      writeFileSync(join(into, target), isModule ? plainModule(source) : source, { mode: 0o644 })
    }),
  )
}

function plainModule(source: string): string {
  const plain = ownExtension === '.ts' ? stripTypeScriptTypes(source) : source
  return plain.replaceAll(/(from\s*'\.\/[\w-]+)\.[jt]s'/g, "$1.mjs'")
}

/** Ignores the umask. */
export function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
