// Compiles a script or snippet into a function. It is compiled as JavaScript first: the TypeScript compiler takes some 75 ms
// to load.
import { stripTypeScriptTypes } from 'node:module'
import { compileFunction, SyntheticModule } from 'node:vm'
import { asCommonJs, usesEsSyntax } from './es-syntax.ts'

type Import = (specifier: string) => unknown

/** Parameters of the function that wraps a module. */
const moduleScope = ['exports', 'require', 'module', '__filename', '__dirname']

/** Wrapped in an async function, so that top-level `await` and `return` work. */
export function compileScript(source: string, filename: string, load: Import) {
  return compileAny(source, filename, load, 'return (async () => {', '\n})()')
}

export function compileSnippet(source: string, filename: string, load: Import) {
  return compileAny(source, filename, load, '', '')
}

function compileAny(given: string, filename: string, load: Import, before: string, after: string) {
  const compile = (code: string) =>
    compileFunction(before + code + after, moduleScope, {
      filename,
      columnOffset: -before.length,
      importModuleDynamically: (specifier) => moduleOf(load(specifier)),
    })
  const source = usesEsSyntax(given) ? asCommonJs(given) : given
  try {
    return compile(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return compile(withoutTypes(source, filename))
  }
}

/** For `import()`: a module with the exports of `require()`. */
async function moduleOf(exports: unknown): Promise<SyntheticModule> {
  const named = new Map(typeof exports === 'object' && exports !== null ? Object.entries(exports) : [])
  if (!named.has('default')) named.set('default', exports)
  const module = new SyntheticModule([...named.keys()], () => {
    for (const [name, value] of named) module.setExport(name, value)
  })
  await module.link(() => {
    throw new Error('a synthetic module imports nothing')
  })
  await module.evaluate()
  return module
}

function withoutTypes(source: string, sourceUrl: string): string {
  // The TypeScript parser accepts `return` and `await` only inside a function.
  const opening = 'async () => {'
  const wrapped = `${opening}${source}\n}`
  const stripped = strip(wrapped, sourceUrl)
  return stripped.slice(stripped.indexOf('{') + 1, stripped.lastIndexOf('}'))
}

function strip(code: string, sourceUrl: string): string {
  try {
    return stripTypeScriptTypes(code, { mode: 'strip', sourceUrl })
  } catch (error) {
    const isUnsupported =
      error instanceof Error && 'code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
    if (!isUnsupported) throw error
    return stripTypeScriptTypes(code, { mode: 'transform', sourceUrl })
  }
}
