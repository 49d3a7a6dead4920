// Scripts of checks as files: each check has a directory, in which its files keep their paths.
import type { ExportedFile } from '../account-resources.ts'
import type { CheckScript } from './check-construct.ts'
import { listOf } from './construct-code.ts'

const defaultPaths = { script: 'script.spec.ts', setup: 'setup.ts', teardown: 'teardown.ts' }

/** The entry point relative to the directory of the export, and all files. `snippets`: name → text. */
export function filesOfScript(
  { role, text, path, dependencies }: CheckScript,
  directory: string,
  snippets: ReadonlyMap<string, string>,
): { entrypoint: string; files: ExportedFile[] } {
  const root = `scripts/${directory}/`
  const inRoot = (one: string) => root + safePath(withoutRoot(one, root))
  const entrypoint = inRoot(typeof path === 'string' && path !== '' ? path : defaultPaths[role])
  const files = new Map([[entrypoint, text]])
  for (const { path: one, content } of listOf(dependencies)) files.set(inRoot(String(one)), String(content))
  for (const name of snippetNames(text)) {
    const snippet = snippets.get(name)
    const file = `${entrypoint.slice(0, entrypoint.lastIndexOf('/'))}/snippets/${name}.js`
    if (snippet !== undefined && !files.has(file)) files.set(file, snippet)
  }
  return { entrypoint, files: [...files].map(([one, content]) => ({ path: one, text: content })) }
}

/** Paths of a check that was deployed from an export already begin with the directory. */
function withoutRoot(path: string, root: string): string {
  const start = path.lastIndexOf(root)
  return start === -1 ? path : path.slice(start + root.length)
}

/** Stays inside its directory. */
function safePath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => (part === '..' ? '_' : part))
    .join('/')
}

/** `require('./snippets/sign-in')`: the server keeps snippets there. */
function snippetNames(script: string): string[] {
  return [...script.matchAll(/['"]\.\/snippets\/([\w.-]+?)(?:\.[jt]s)?['"]/g)].map(([, name = '']) => name)
}
