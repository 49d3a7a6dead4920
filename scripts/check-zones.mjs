// Checks the tree against the rules in zones.mjs: parses every module and reports violations.
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, visitorKeys } from 'oxc-parser'
import { barrels, packageEntries, restricted, siblings, testFiles, zones } from './zones.mjs'

const sources = ['packages/*/{src,bin}/**', '{e2e,bench,scripts}/**', '*.config']
const extensions = '{ts,tsx,mts,cts,mjs,cjs}'

/** `tree`: the text of every file, by its path. */
export function checkZones(tree) {
  const modules = readModules(tree)
  const problems = []
  for (const module of modules.values()) {
    const report = (rule, message) => problems.push({ rule, file: module.file, message })
    for (const error of module.errors) report('parse', error)
    if (!module.zone) {
      report('zone', "doesn't belong to a zone: add it to scripts/zones.mjs")
      continue
    }
    for (const edge of module.imports) checkImport(module, edge, modules, report)
    checkUses(module, report)
  }
  for (const cycle of findCycles(modules)) {
    problems.push({ rule: 'cycle', file: cycle[0], message: cycle.join(' → ') })
  }
  const imports = [...modules.values()].reduce((sum, { imports }) => sum + imports.length, 0)
  return { modules: modules.size, imports, problems }
}

/** By path, every module with what it imports. */
export function readModules(tree) {
  return new Map(Object.entries(tree).map(([file, text]) => [file, readModule(file, text)]))
}

export function readTree(root) {
  return Object.fromEntries(listFiles(root).map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

function checkImport(module, edge, modules, report) {
  const { file, zone, isTest } = module
  if (edge.specifier === null) {
    if ((zone.packages || zone.guarded) && !isOneOf(file, restricted.dynamic.only))
      report('dynamic', "import() of an expression: rules can't check it")
    return
  }
  if (edge.target === null) return checkOutside(module, edge, report)
  const target = modules.get(edge.target)
  if (!target) {
    // Types, data and styles aren't modules.
    if (/\.(ts|tsx|mts|cts|mjs|cjs)$/.test(edge.target))
      report('missing', `imports ${edge.specifier}, which doesn't exist`)
    return
  }
  if (!target.zone) return
  if (edge.specifier.startsWith('.') && packageOf(file) !== packageOf(edge.target)) {
    report('path', `imports another package by path: ${edge.specifier}`)
  }
  const allowed = zone === target.zone || zone.imports.includes(target.zone.zone)
  if (!allowed && !(isTest && target.zone.zone === 'testing')) {
    report('order', `${zone.zone} may not import ${target.zone.zone} (${edge.target})`)
  }
  if (!isTest && zone.typesOnly?.includes(target.zone.zone) && !edge.isType) {
    report('types', `may import types of ${edge.target} only`)
  }
  if (!isTest && target.isTest) report('test', `imports test code (${edge.target})`)
  const row = siblings.find((row) => isBeside(file, row.list) && isListed(edge.target, row, modules))
  if (row && !isTest && file !== row.list) {
    report(
      'sibling',
      `imports ${edge.target}, which only ${row.list} may import: move shared code to a shared file`,
    )
  }
}

const isBeside = (file, list) => file.startsWith(`${dirname(list)}/`)

function isListed(file, { list, shared }, modules) {
  const isShared = shared.some((pattern) => matches(file, join(dirname(list), pattern)))
  return isBeside(file, list) && !isShared && modules.get(list)?.imports.some(({ target }) => target === file)
}

function checkOutside({ file, zone, isTest }, { specifier, names, isType }, report) {
  const isBuiltin = specifier.startsWith('node:') || builtinModules.includes(specifier)
  const path = specifier.replace(/^node:/, '')
  const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
  if (name.startsWith('@vedette/'))
    report('path', `${specifier} isn't in packageEntries of scripts/zones.mjs`)
  if (isTest) return
  if (isBuiltin && zone.builtins === false)
    report('builtin', `${zone.zone} may not import Node's ${specifier}`)
  if (!isBuiltin && zone.packages && !zone.packages.includes(name)) {
    report('package', `${zone.zone} may not import ${specifier}`)
  }
  if (
    restricted.database.packages.includes(name) &&
    zone.zone !== 'scripts' &&
    !isOneOf(file, restricted.database.only)
  ) {
    report('database', `only storage/ imports ${specifier}`)
  }
  const opensNothing =
    isType || (names.length > 0 && names.every((name) => restricted.network.allowedNames.includes(name)))
  if (
    zone.guarded &&
    restricted.network.packages.includes(name) &&
    !opensNothing &&
    !isOneOf(file, restricted.network.only)
  ) {
    report('network', `only ${restricted.network.only.join(', ')} open connections: ${specifier}`)
  }
  if (
    zone.guarded &&
    path === 'process' &&
    names.includes('env') &&
    !isOneOf(file, restricted.environment.only)
  ) {
    report('environment', 'only config.ts reads the environment')
  }
}

function checkUses({ file, zone, isTest, uses }, report) {
  if (uses.reexports.length > 0 && !isTest && !isOneOf(file, barrels)) {
    report('barrel', `re-exports another file: ${uses.reexports.join(', ')}`)
  }
  if (isTest || !zone.guarded) return
  if (uses.environment && !isOneOf(file, restricted.environment.only)) {
    report('environment', 'only config.ts reads process.env')
  }
  if (uses.sql && !isOneOf(file, restricted.database.only))
    report('database', `only storage/ contains SQL: ${uses.sql}`)
  if (uses.network && !isOneOf(file, restricted.network.only)) {
    report('network', `only ${restricted.network.only.join(', ')} open connections: ${uses.network}`)
  }
}

function listFiles(root) {
  const patterns = sources.flatMap((source) =>
    source.endsWith('**') ? `${source}/*.${extensions}` : `${source}.${extensions}`,
  )
  const exclude = (path) =>
    /(^|\/)(node_modules|dist|data)$/.test(typeof path === 'string' ? path : path.name)
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude })))].sort()
}

function readModule(file, text) {
  const { module, program, errors } = parseSync(file, text)
  const uses = { reexports: [], environment: false, sql: null, network: null }
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    // A null name is a default or namespace import.
    names: entries.filter((entry) => !entry.isType).map((entry) => entry.importName.name),
    isType: entries.length > 0 && entries.every((entry) => entry.isType),
  }))
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType, importName } of entries) {
      if (!moduleRequest) continue
      uses.reexports.push(moduleRequest.value)
      imports.push({ specifier: moduleRequest.value, names: [importName.name], isType })
    }
  }
  visitNodes(program, (node) => readNode(node, uses, imports))
  return {
    file,
    zone: zones.find((zone) => isOneOf(file, zone.files)),
    isTest: isOneOf(file, testFiles),
    imports: imports.map((edge) => ({ ...edge, target: resolve(file, edge.specifier) })),
    uses,
    errors: errors.map((error) => error.message),
  }
}

function readNode(node, uses, imports) {
  const literal = (argument) => (argument?.type === 'Literal' ? String(argument.value) : null)
  switch (node.type) {
    case 'ImportExpression':
      imports.push({ specifier: literal(node.source), names: [null], isType: false })
      break
    case 'TSImportType':
      imports.push({ specifier: literal(node.source), names: [], isType: true })
      break
    case 'CallExpression':
    case 'NewExpression':
      readCall(node, uses, imports, literal)
      break
    case 'MemberExpression':
      if (isProcess(node.object) && (node.property.name ?? node.property.value) === 'env')
        uses.environment = true
      if (node.object.name === 'globalThis' && restricted.network.globals.includes(node.property.name)) {
        uses.network ??= node.property.name
      }
      break
    case 'VariableDeclarator':
      if (isProcess(node.init) && node.id.type === 'ObjectPattern') {
        uses.environment ||= node.id.properties.some((property) => property.key?.name === 'env')
      }
      break
    case 'TaggedTemplateExpression':
      if (node.tag.name === 'sql') uses.sql ??= 'sql`…`'
      break
    case 'Literal':
      if (typeof node.value === 'string') readText(node.value, uses)
      break
    case 'TemplateLiteral':
      readText(node.quasis.map((quasi) => quasi.value.cooked ?? '').join('x'), uses)
      break
  }
}

function readCall({ callee, arguments: args }, uses, imports, literal) {
  if (callee.type === 'Identifier' && callee.name === 'require') {
    imports.push({ specifier: literal(args[0]), names: [null], isType: false })
  }
  if (callee.type === 'Identifier' && restricted.network.globals.includes(callee.name))
    uses.network ??= callee.name
  if (callee.type !== 'MemberExpression') return
  const method = callee.property.name
  if (/^(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)$/.test(method)) uses.sql ??= `.${method}()`
}

// A heuristic: statements in lower or upper case only, so that prose passes.
const statement =
  /^\s*(select\s[\s\S]*\sfrom\s|insert into\s|update\s+\S+\s+set\s|delete from\s|(create|alter|drop) (table|index|schema|type|role|database|unique index)\s|with\s+\w+\s+as\s*\(|truncate\s+\w+\s*;?$)/
const upper = new RegExp(statement.source.replace(/(?<!\\)[a-z]+/g, (word) => word.toUpperCase()))

function readText(text, uses) {
  if (statement.test(text) || upper.test(text)) uses.sql ??= JSON.stringify(text.trim().slice(0, 40))
}

const isProcess = (node) =>
  (node?.type === 'Identifier' && node.name === 'process') ||
  (node?.type === 'MemberExpression' && node.object.name === 'globalThis' && node.property.name === 'process')

function visitNodes(node, visit) {
  visit(node)
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [node[key]].flat()) if (child) visitNodes(child, visit)
  }
}

function resolve(file, specifier) {
  if (specifier === null) return null
  if (specifier.startsWith('.')) return join(dirname(file), specifier)
  return packageEntries[specifier] ?? null
}

function findCycles(modules) {
  const state = new Map()
  const path = []
  const cycles = []
  const visit = (file) => {
    if (state.get(file) === 'done' || !modules.has(file)) return
    if (state.get(file) === 'open') {
      cycles.push([...path.slice(path.indexOf(file)), file])
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const { target } of modules.get(file).imports) if (target) visit(target)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of modules.keys()) visit(file)
  return cycles
}

const isOneOf = (file, patterns) => patterns.some((pattern) => matches(file, pattern))

/** matchesGlob compiles the pattern each time; files and patterns come many times. */
const matched = new Map()
function matches(file, pattern) {
  const key = `${pattern} ${file}`
  const known = matched.get(key)
  if (known !== undefined) return known
  const isMatch = matchesGlob(file, pattern)
  matched.set(key, isMatch)
  return isMatch
}
const packageOf = (file) =>
  file.startsWith('packages/') ? file.split('/', 2).join('/') : file.split('/', 1)[0]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { modules, imports, problems } = checkZones(readTree(fileURLToPath(new URL('..', import.meta.url))))
  for (const { rule, file, message } of problems) console.error(`${file}: ${message} [${rule}]`)
  console.log(`zones: ${modules} modules, ${imports} imports, ${problems.length} problems`)
  process.exitCode = problems.length > 0 || modules === 0 || imports === 0 ? 1 : 0
}
