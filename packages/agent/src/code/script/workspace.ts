// The files of a script as it finds them: itself, what it depends on, the account's snippets.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Job } from '@vedette/contracts'

export interface Workspace {
  /** Below the work folder, with slashes. */
  file: string
  mode: 'test' | 'plain'
}

interface ScriptCheck {
  script: string | null
  scriptPath?: string | null
  dependencies?: readonly { path: string; content: string }[] | null
}

/** Throws with words for the user when a path leads elsewhere. */
export function writeWorkspace(folder: string, job: Pick<Job, 'check' | 'snippets'>): Workspace {
  const { script, scriptPath, dependencies } = job.check as unknown as ScriptCheck
  if (script === null || script.trim() === '') throw new Error('the check has no script')
  const mode = usesRunner(script) ? 'test' : 'plain'
  const file = scriptPath ? safePath(scriptPath) : mode === 'test' ? 'script.spec.ts' : 'script.ts'
  mkdirSync(join(folder, '.vedette'), { recursive: true })
  for (const { path, content } of dependencies ?? []) put(folder, safePath(path), content)
  for (const { name, script: text } of job.snippets) put(folder, safePath(`snippets/${name}.js`), text)
  put(folder, file, mode === 'plain' ? wrapped(script) : script)
  return { file, mode }
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
  const plain = posix.normalize(path.replaceAll('\\', '/'))
  const isInside = !plain.startsWith('/') && plain !== '..' && !plain.startsWith('../') && plain !== '.'
  if (!isInside || plain.includes('\0') || plain.split('/')[0] === '.vedette')
    throw new Error(`the path "${path}" leads out of the folder of the script`)
  return plain
}

function put(folder: string, path: string, content: string): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, content)
}
