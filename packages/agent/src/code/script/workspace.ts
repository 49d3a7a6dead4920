// Writes the files of a script: the script, its dependencies and the account's snippets.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { scriptPath as pathInside } from '@vedette/contracts/script-path'
import { z } from 'zod'
import { writeInside } from './write-inside.ts'

export interface Workspace {
  /** Relative to the work directory, with slashes. */
  file: string
  mode: 'test' | 'plain'
  /** There are no other files. */
  isAlone: boolean
  /** A file is an ES module for Playwright, or imports one. Static imports of other files become `require`. */
  hasEsModules: boolean
  /** All files that were written, including the script. */
  written: string[]
}

const ScriptCheck = z.looseObject({
  script: z.string().nullish(),
  scriptPath: z.string().nullish(),
  dependencies: z.array(z.object({ path: z.string(), content: z.string() })).nullish(),
})

/** Throws with a message for the user if a path leaves the directory. */
export function writeWorkspace(folder: string, job: Pick<Job, 'check' | 'snippets'>): Workspace {
  const { script, scriptPath, dependencies } = ScriptCheck.parse(job.check)
  if (!script?.trim()) throw new Error('The check has no script.')
  const mode = modeOf(script)
  const file = scriptPath ? safePath(scriptPath) : mode === 'test' ? 'script.spec.ts' : 'script.ts'
  // Checked before anything is written.
  const files = [
    ...(dependencies ?? []).map(({ path, content }) => ({ path: safePath(path), content })),
    ...job.snippets.map(({ name, script: content }) => ({ path: snippetPath(name), content })),
    { path: file, content: mode === 'plain' ? wrapScript(script) : script },
  ]
  mkdirSync(join(folder, '.vedette'), { recursive: true })
  for (const { path, content } of files) writeInside(folder, path, content)
  return {
    file,
    mode,
    isAlone: files.length === 1,
    hasEsModules: files.some(isEsModule),
    written: files.map(({ path }) => path),
  }
}

/** Without writing anything. */
export function styleOf({ check }: Pick<Job, 'check'>): Workspace['mode'] {
  return modeOf(ScriptCheck.safeParse(check).data?.script ?? '')
}

const modeOf = (script: string) => (usesRunner(script) ? 'test' : 'plain')

function isEsModule({ path, content }: { path: string; content: string }): boolean {
  return /\.m[jt]sx?$|(?:^|\/)package\.json$/.test(path) || /\bimport\s*\(/.test(content)
}

/** Whether the script imports the test runner, directly or through another module. */
function usesRunner(script: string): boolean {
  return (
    /(?:from|require\s*\(|import\s*\(?)\s*['"](?:@playwright\/test|playwright\/test)['"]/.test(script) ||
    callsTest(script)
  )
}

function callsTest(script: string): boolean {
  return /^\s*import\b[^\n]*\btest\b/m.test(script) && /^\s*test(?:\.\w+)*\s*\(/m.test(script)
}

const hasModuleSyntax = (script: string) => /^\s*(?:import\s*(?:[\w*{'"]|type\b)|export\s)/m.test(script)

/** A script with top-level await and `require` is neither an ES nor a CommonJS module: it becomes a function. Line numbers stay. */
function wrapScript(script: string): string {
  if (hasModuleSyntax(script)) return script
  return `exports.vedetteDone = (async () => {${script}\n})()\n`
}

export function safePath(path: string): string {
  const inside = pathInside(path)
  if (inside === null)
    throw new Error(
      `The path "${path}" is not allowed: it leaves the directory of the script, or is in node_modules or .vedette. Rename the file.`,
    )
  return inside
}

function snippetPath(name: string): string {
  const inside = pathInside(`snippets/${name}.js`)
  if (!inside?.startsWith('snippets/'))
    throw new Error(
      `The snippet "${name}" can't be written: its name leads out of the snippets directory. Rename the snippet.`,
    )
  return inside
}
