// Writes the files of an export. A directory is never half written.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { ExportedFile } from '@vedette/as-code/account-resources'
import { CommandError } from '../core/connection.ts'

/** What an export may have written before; everything else in the directory is kept, such as .env and node_modules. */
const ownEntries =
  /^(resources|scripts|suites|bundles|README\.md|checkly\.config\.ts|package\.json|\.env\.example|without-constructs\.mjs|.*\.tf|terraform\.tfvars\.example)$/

export function requireWritable(directory: string, isForced: boolean): void {
  const path = resolve(directory)
  if (!relative(path, process.cwd()).startsWith('..'))
    throw new CommandError(`${path} contains the current directory: choose another one with --out DIR.`)
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory())
    throw new CommandError(`${path} isn't a directory: choose another --out DIR.`)
  if (readdirSync(path).length > 0 && !isForced)
    throw new CommandError(
      `${path} isn't empty: choose another directory with --out DIR, or replace an earlier export with --force.`,
    )
}

export function replaceDirectory(directory: string, files: readonly ExportedFile[]): void {
  const path = resolve(directory)
  mkdirSync(dirname(path), { recursive: true })
  const temporary = mkdtempSync(join(dirname(path), `.${basename(path)}-`))
  try {
    const fresh = join(temporary, 'new')
    for (const file of files) {
      const target = join(fresh, file.path)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, file.bytes ?? file.text)
    }
    if (existsSync(path)) replaceEntries(path, { fresh, old: join(temporary, 'old') })
    else renameSync(fresh, path)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Files of others are never moved. If an entry can't be replaced, all earlier ones are put back. */
function replaceEntries(path: string, { fresh, old }: { fresh: string; old: string }): void {
  const added = readdirSync(fresh)
  const replaced = readdirSync(path).filter((entry) => ownEntries.test(entry) || added.includes(entry))
  mkdirSync(old)
  try {
    for (const entry of replaced) renameSync(join(path, entry), join(old, entry))
    for (const entry of added) renameSync(join(fresh, entry), join(path, entry))
  } catch (error) {
    for (const entry of added.filter((name) => !existsSync(join(fresh, name))))
      rmSync(join(path, entry), { recursive: true })
    for (const entry of readdirSync(old)) renameSync(join(old, entry), join(path, entry))
    throw error
  }
}
