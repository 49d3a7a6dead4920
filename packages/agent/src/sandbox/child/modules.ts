// `require` inside the sandbox: some of Node's modules, the account's snippets, which are only in memory, and the packages of
// the runtime. The list of modules keeps scripts portable; the isolation is outside this process.
import { isBuiltin } from 'node:module'
import { compileSnippet } from './compile.ts'

const allowed = new Set(
  'assert buffer crypto dns http https net path querystring readline stream string_decoder timers tls url util zlib'.split(
    ' ',
  ),
)

export type Require = (specifier: string) => unknown

export function createRequire(
  snippets: readonly { name: string; script: string }[],
  builtin: Require,
  packages: Require | null = null,
): Require {
  const sources = new Map(snippets.map(({ name, script }) => [name, script]))
  const loaded = new Map<string, { exports: unknown }>()

  const requireFrom =
    (folder: '' | 'snippets'): Require =>
    (specifier) => {
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

  function loadSnippet(name: string): unknown {
    const known = loaded.get(name)
    if (known) return known.exports
    const module: { exports: unknown } = { exports: {} }
    // Before it runs, since snippets may require each other.
    loaded.set(name, module)
    const filename = `snippets/${name}.js`
    const find = requireFrom('snippets')
    const run = compileSnippet(sources.get(name) ?? '', filename, find)
    run.call(module.exports, module.exports, find, module, filename, 'snippets')
    return module.exports
  }

  return requireFrom('')
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
}
