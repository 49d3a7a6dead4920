// Rewrites `import` and `export` to CommonJS, since scripts run inside a function. Only declarations at the beginning of a line
// are rewritten, and line numbers don't change; anything else fails to compile.

export function usesEsSyntax(source: string): boolean {
  return /^[ \t]*(import\s*['"{*\w]|export\s)/m.test(source)
}

export function asCommonJs(source: string): string {
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
  const converted = rewriteReexports(source)
    .replace(/^[ \t]*export\s+default\s+/gm, 'exports.default = ')
    .replace(/^[ \t]*export\s+(?=(interface|type|enum|declare)\b)/gm, '')
    .replace(/^[ \t]*export\s+(const|let|var)\s+([\w$]+)([^=\n]*)=(?!=)/gm, '$1 $2$3= exports.$2 =')
    .replace(/^[ \t]*export\s+((?:async\s+)?function\s*\*?\s*)([\w$]+)/gm, 'exports.$2 = $2; $1$2')
    .replace(/^[ \t]*export\s+class\s+([\w$]+)/gm, 'const $1 = exports.$1 = class $1')
    .replace(/^[ \t]*export\s*\{([^}]*)\}[ \t]*;?/gm, (_whole, names: string) =>
      exportsOf(names)
        .map(([local, name]) => `exports.${name} = ${local};`)
        .join(' '),
    )
  return `exports.__esModule = true; ${converted}`
}

/** `export * from` and `export { a } from`. */
function rewriteReexports(source: string): string {
  return source
    .replace(
      /^[ \t]*export\s*\*\s*from\s*(['"])([^'"\n]+)\1[ \t]*;?/gm,
      (_whole, _quote, module) => `Object.assign(exports, require(${JSON.stringify(module)}));`,
    )
    .replace(
      /^[ \t]*export\s*\{([^}]*)\}\s*from\s*(['"])([^'"\n]+)\2[ \t]*;?/gm,
      (_whole, names: string, _quote, module) => {
        const copies = exportsOf(names).map(([local, name]) => `exports.${name} = m.${local};`)
        return `{ const m = require(${JSON.stringify(module)}); ${copies.join(' ')} }`
      },
    )
}

/** The names of a list of exports: here and outside. */
function exportsOf(names: string): [local: string, name: string][] {
  return names
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/))
    .flatMap(([local = '', name = local]): [string, string][] => (local === '' ? [] : [[local, name]]))
}
