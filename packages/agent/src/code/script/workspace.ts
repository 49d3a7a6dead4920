// The files of a script as it finds them: itself, what it depends on, the account's snippets.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { scriptPath as pathInside } from '@vedette/contracts/script-path'
import { writeInside } from './write-inside.ts'

export interface Workspace {
  /** Below the work folder, with slashes. */
  file: string
  mode: 'test' | 'plain'
  /** Every file that was written, the script among them. */
  given: string[]
}

interface ScriptCheck {
  script: string | null
  scriptPath?: string | null
  dependencies?: readonly { path: string; content: string }[] | null
}

/** Throws with words for the user when a path leads elsewhere. */
export function writeWorkspace(folder: string, job: Pick<Job, 'check' | 'snippets'>): Workspace {
  const { script, scriptPath, dependencies } = job.check as unknown as ScriptCheck
  if (script === null || script.trim() === '') throw new Error('The check has no script.')
  const mode = usesRunner(script) ? 'test' : 'plain'
  const file = scriptPath ? safePath(scriptPath) : mode === 'test' ? 'script.spec.ts' : 'script.ts'
  // Checked before anything is written.
  const files = [
    ...(dependencies ?? []).map(({ path, content }) => ({ path: safePath(path), content })),
    ...job.snippets.map(({ name, script: content }) => ({ path: snippetPath(name), content })),
    { path: file, content: mode === 'plain' ? wrapped(script) : script },
  ]
  mkdirSync(join(folder, '.vedette'), { recursive: true })
  for (const { path, content } of files) writeInside(folder, path, content)
  return { file, mode, given: files.map(({ path }) => path) }
}

/** The test runner runs what asks for it, itself or by what it imports. */
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

/** What awaits at its top and requires modules is neither kind of module: it becomes a function. Lines stay where they are. */
function wrapped(script: string): string {
  if (hasModuleSyntax(script)) return script
  return `exports.vedetteDone = (async () => {${script}\n})()\n`
}

function safePath(path: string): string {
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
