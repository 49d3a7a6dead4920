// Programs that run behind the walls, as plain modules: a checkout has sources in TypeScript, a package has them compiled.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'

/** `name` without an extension is one of ours; with .cjs it is copied as it is. */
export async function stageProgram(from: string, name: string, into: string): Promise<void> {
  const isPlain = name.endsWith('.cjs')
  const target = join(into, isPlain ? name : `${name}.mjs`)
  writeFileSync(target, isPlain ? await readFile(join(from, name)) : await readModule(from, name), {
    mode: 0o644,
  })
}

async function readModule(from: string, name: string): Promise<string> {
  const extension = extname(import.meta.url)
  const source = await readFile(join(from, `${name}${extension}`), 'utf8')
  const plain = extension === '.ts' ? stripTypeScriptTypes(source) : source
  return plain.replaceAll(/(from\s*'\.\/[\w-]+)\.[jt]s'/g, "$1.mjs'")
}

/** Whatever the umask says. */
export function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
