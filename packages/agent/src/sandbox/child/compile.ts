// A script or snippet of the user's as a function. Plain JavaScript costs nothing extra; only what is none is tried as
// TypeScript, whose compiler takes some 75 ms to load.
import { stripTypeScriptTypes } from 'node:module'
import { compileFunction, SyntheticModule } from 'node:vm'
import { asCommonJs, usesEsSyntax } from './es-syntax.ts'

type Import = (specifier: string) => unknown

/** Parameters of the function in which a module's code stands. */
const moduleScope = ['exports', 'require', 'module', '__filename', '__dirname']

/** Wrapped in an async function: `await` and `return` work at its top. */
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

/** For `import()`, whatever `require` would give. */
async function moduleOf(exports: unknown): Promise<SyntheticModule> {
  const named = typeof exports === 'object' && exports !== null ? Object.keys(exports) : []
  const module = new SyntheticModule([...new Set([...named, 'default'])], () => {
    for (const name of named) module.setExport(name, (exports as Record<string, unknown>)[name])
    if (!named.includes('default')) module.setExport('default', exports)
  })
  await module.link(() => undefined as never)
  await module.evaluate()
  return module
}

function withoutTypes(source: string, sourceUrl: string): string {
  // Its parser knows `return` and `await` only inside of a function.
  const opening = 'async () => {'
  const wrapped = `${opening}${source}\n}`
  const stripped = strip(wrapped, sourceUrl)
  return stripped.slice(stripped.indexOf('{') + 1, stripped.lastIndexOf('}'))
}

function strip(code: string, sourceUrl: string): string {
  try {
    return stripTypeScriptTypes(code, { mode: 'strip', sourceUrl })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
    return stripTypeScriptTypes(code, { mode: 'transform', sourceUrl })
  }
}
