// Copies programs that run in a sandbox, as plain JavaScript: a checkout has TypeScript sources, a package compiled ones.
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const ownExtension = extname(import.meta.url)

/** All programs of a directory: our modules become .mjs, .cjs files are copied as they are. */
export async function stagePrograms(from: string, into: string): Promise<void> {
  const names = readdirSync(from)
  for (const name of names.filter((name) => extname(name) === '.cjs')) {
    copyFileSync(join(from, name), join(into, name))
    chmodSync(join(into, name), 0o644)
  }
  const modules = names.filter((name) => extname(name) === ownExtension)
  const sources = await withoutTypes(modules.map((name) => readFileSync(join(from, name), 'utf8')))
  for (const [index, name] of modules.entries()) {
    const source = sources[index]?.replaceAll(/(from\s*'\.\/[\w-]+)\.[jt]s'/g, "$1.mjs'") ?? ''
    writeFileSync(join(into, `${name.slice(0, -ownExtension.length)}.mjs`), source, { mode: 0o644 })
  }
}

const strip = `const strip = require('node:module').stripTypeScriptTypes
const sources = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(sources.map((source) => strip(source))))`

/** In a process that ends: Node's type stripper would stay in memory. */
async function withoutTypes(sources: string[]): Promise<string[]> {
  if (ownExtension !== '.ts' || sources.length === 0) return sources
  const flags = ['--disable-warning=ExperimentalWarning', '-e', strip]
  const stripped = promisify(execFile)(process.execPath, flags, { maxBuffer: 1e8 })
  stripped.child.stdin?.end(JSON.stringify(sources))
  return JSON.parse((await stripped).stdout)
}

/** Ignores the umask. */
export function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
