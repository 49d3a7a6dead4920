// Compiles a script or snippet into a function. It is compiled as JavaScript first: the TypeScript compiler takes some 75 ms
// to load.
import { stripTypeScriptTypes } from 'node:module'
import { compileFunction, SyntheticModule } from 'node:vm'

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
  const wrapped = `async () => {${source}\n}`
  const strip = (mode: 'strip' | 'transform') => stripTypeScriptTypes(wrapped, { mode, sourceUrl })
  let stripped: string
  try {
    stripped = strip('strip')
  } catch (error) {
    const code = error instanceof Error && 'code' in error && error.code
    if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
    stripped = strip('transform')
  }
  return stripped.slice(stripped.indexOf('{') + 1, stripped.lastIndexOf('}'))
}

// Rewrites `import` and `export` to CommonJS, since scripts run inside a function. Only declarations at the beginning of a line
// are rewritten, and line numbers don't change; anything else fails to compile.
function usesEsSyntax(source: string): boolean {
  return /^[ \t]*(import\s*['"{*\w]|export\s)/m.test(source)
}

function asCommonJs(source: string): string {
  const converted = source
    .replace(/^[ \t]*(import|export)\s+type\s[^;\n]*from\s*(['"])[^'"\n]+\2[ \t]*;?/gm, '')
    .replace(
      /^[ \t]*import\s+([\w$\s,{}*]+?)\s*from\s*(['"])([^'"\n]+)\2[ \t]*;?/gm,
      (whole, names: string, _quote, module: string) => {
        const lines = '\n'.repeat(whole.split('\n').length - 1)
        return `${bindings(names.replaceAll(/\s+/g, ' ').trim(), JSON.stringify(module))}${lines}`
      },
    )
    .replace(
      /^[ \t]*import\s*(['"])([^'"\n]+)\1[ \t]*;?/gm,
      (_whole, _quote, module) => `require(${JSON.stringify(module)});`,
    )
  return rewriteExports(converted)
}

function bindings(names: string, module: string): string {
  const [, first, rest] = /^([\w$]+)?[ ,]*(.*)$/.exec(names) ?? []
  const statements: string[] = []
  if (first)
    statements.push(`const ${first} = ((m) => (m && m.__esModule ? m.default : m))(require(${module}));`)
  const space = /^\* as ([\w$]+)$/.exec(rest ?? '')
  if (space) statements.push(`const ${space[1]} = require(${module});`)
  else if (rest?.startsWith('{')) {
    const valued = rest
      .replaceAll(/\btype [\w$]+( as [\w$]+)?,?/g, '')
      .replaceAll(/([\w$]+) as ([\w$]+)/g, '$1: $2')
    statements.push(`const ${valued} = require(${module});`)
  }
  return statements.join(' ')
}

function rewriteExports(source: string): string {
  if (!/^[ \t]*export\s/m.test(source)) return source
  const converted = source
    .replace(/^[ \t]*export\s+default\s+/gm, 'exports.default = ')
    .replace(/^[ \t]*export\s+(?=(interface|type|enum|declare)\b)/gm, '')
    .replace(/^[ \t]*export\s+(const|let|var)\s+([\w$]+)([^=\n]*)=(?!=)/gm, '$1 $2$3= exports.$2 =')
    .replace(/^[ \t]*export\s+((?:async\s+)?function\s*\*?\s*)([\w$]+)/gm, 'exports.$2 = $2; $1$2')
    .replace(/^[ \t]*export\s+class\s+([\w$]+)/gm, 'const $1 = exports.$1 = class $1')
    .replace(
      /^[ \t]*export\s*\*\s*from\s*(['"])([^'"\n]+)\1[ \t]*;?/gm,
      (_whole, _quote, module) => `Object.assign(exports, require(${JSON.stringify(module)}));`,
    )
    .replace(
      /^[ \t]*export\s*\{([^}]*)\}(?:\s*from\s*(['"])([^'"\n]+)\2)?[ \t]*;?/gm,
      (_whole, names: string, _quote, module?: string) => {
        const from = module === undefined ? '' : 'm.'
        const copies = names
          .split(',')
          .map((name) => name.trim().split(/\s+as\s+/))
          .flatMap(([local, name = local]) => (local ? `exports.${name} = ${from}${local};` : []))
          .join(' ')
        return module === undefined ? copies : `{ const m = require(${JSON.stringify(module)}); ${copies} }`
      },
    )
  return `exports.__esModule = true; ${converted}`
}
