// `require` inside the sandbox: some of Node's modules, files of the script and the account's snippets, which are only in
// memory, and the packages of the runtime. The list of modules keeps scripts portable; the isolation is outside this process.
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { ScriptImports, Snippet } from '../messages.ts'
import { compileSnippet } from './compile.ts'

const allowed = new Set(
  'assert buffer crypto dns http https net path querystring readline stream string_decoder timers tls url util zlib'.split(
    ' ',
  ),
)

export type Require = (specifier: string) => unknown

export function createRequire(
  snippets: readonly Snippet[],
  builtin: Require,
  packages: Require | null = null,
): (imports?: ScriptImports | null) => Require {
  const sources = new Map(snippets.map(({ name, script }) => [name, script]))
  const loaded = new Map<string, Module>()

  const requireFrom =
    (folder: '' | 'snippets', findFile: FindFile = () => undefined): Require =>
    (specifier) => {
      const file = findFile(String(specifier))
      if (file !== undefined) return file.exports
      const name = String(specifier).replace(/^node:/, '')
      if (allowed.has(name.split('/', 1)[0] ?? '') && isBuiltin(name)) return builtin(name)
      const snippet = snippetName(String(specifier), folder)
      if (snippet !== null) return loadSnippet(snippet)
      if (isBuiltin(name)) {
        throw refusal(`the module "${name}" isn't available here; these are: ${[...allowed].join(', ')}`)
      }
      if (packages === null)
        throw refusal(`the package "${name}" isn't available: this agent hasn't installed its runtime yet`)
      return packages(name)
    }

  function snippetName(specifier: string, folder: string): string | null {
    const path = /^\.{1,2}\/(?:snippets\/)?(.+)$/.exec(specifier)
    if (!path || (folder === '' && !specifier.includes('snippets/'))) return null
    const wanted = path[1] ?? ''
    const stem = wanted.replace(/\.[cm]?[jt]s$/, '')
    if (sources.has(wanted)) return wanted
    if (sources.has(stem)) return stem
    const known = sources.size === 0 ? 'there are none' : `there are: ${[...sources.keys()].join(', ')}`
    throw refusal(`there is no snippet "${stem}"; ${known}`)
  }

  const loadSnippet = (name: string) =>
    load(loaded, name, (module) => {
      const source = sources.get(name) ?? ''
      execute(module, source, `snippets/${name}.js`, 'snippets', requireFrom('snippets'))
    }).exports

  return (imports) => {
    if (!imports) return requireFrom('')
    const files = new Map(imports.files.map(({ path, content }) => [posix.normalize(path), content]))
    const modules = new Map<string, Module>()
    const findFrom =
      (folder: string): FindFile =>
      (specifier) => {
        if (!/^\.{1,2}(\/|$)/.test(specifier)) return
        const path = pathsOf(posix.join(folder, specifier)).find((candidate) => files.has(candidate))
        return path === undefined ? undefined : loadFile(path)
      }
    const loadFile = (path: string) =>
      load(modules, path, (module) => {
        const source = files.get(path) ?? ''
        const folder = posix.dirname(path)
        if (path.endsWith('.json')) module.exports = JSON.parse(source)
        else execute(module, source, path, folder, requireFrom('', findFrom(folder)))
      })
    return requireFrom('', findFrom(posix.dirname(imports.path)))
  }
}

interface Module {
  exports: unknown
}

function load(loaded: Map<string, Module>, name: string, run: (module: Module) => void): Module {
  const known = loaded.get(name)
  if (known) return known
  const module: Module = { exports: {} }
  // Before it runs, since modules may require each other.
  loaded.set(name, module)
  run(module)
  return module
}

function execute(module: Module, source: string, filename: string, folder: string, find: Require): void {
  const run = compileSnippet(source, filename, find)
  run.call(module.exports, module.exports, find, module, filename, folder)
}

type FindFile = (specifier: string) => Module | undefined

const endings = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.json', '/index.ts', '/index.js']

/** Where a file may be that is imported by this path. TypeScript files are also imported with the ending of their output. */
function pathsOf(path: string): string[] {
  return [path, path.replace(/\.([cm]?)js$/, '.$1ts'), ...endings.map((ending) => path + ending)]
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
}
