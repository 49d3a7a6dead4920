// npm run pack [-- --out FOLDER]: the published packages, compiled (Node refuses TypeScript under node_modules).
// Plain JavaScript for Node 20. dist/ is as deep as src/, so paths relative to import.meta.url stay valid.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureBuilt, readCurrent, dist as webDist } from './build-web.mjs'
import { ensureInstalled, serviceNode } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** In this order: a later one is compiled against the declarations of an earlier one. */
const packages = ['contracts', 'as-code', 'safeguards', 'web', 'server', 'agent', 'cli']
/** Libraries; the rest are programs. */
const typed = ['contracts', 'as-code', 'safeguards']

/** Tests and generators. */
const developmentFiles = [
  ...['test', 'story', 'conformance', 'fixture'].map((kind) => `**/*.${kind}.ts`),
  '**/testing/**',
  'generate.ts',
  'storage/core/introspect.ts',
]

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/packages' } } })
const out = resolve(values.out)

await ensureInstalled()
const stage = mkdtempSync(join(tmpdir(), 'vedette-pack-'))
try {
  // The staged declarations import zod.
  symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
  mkdirSync(out, { recursive: true })
  for (const name of packages) {
    stagePackage(name)
    const packed = run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', out],
      join(stage, name),
    )
    console.log(join(out, JSON.parse(packed)[0].filename))
  }
} finally {
  rmSync(stage, { recursive: true })
}

function stagePackage(name) {
  const from = join(root, 'packages', name)
  const to = join(stage, name)
  mkdirSync(to)
  for (const entry of name === 'web' ? [] : readdirSync(from)) {
    if (!['src', 'dist', 'node_modules', 'package.json'].includes(entry)) {
      cpSync(join(from, entry), join(to, entry), { recursive: true })
    }
  }
  for (const file of ['LICENSE', 'README.md']) {
    if (!existsSync(join(to, file)) && existsSync(join(root, file))) cpSync(join(root, file), join(to, file))
  }
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  writeFileSync(
    join(to, 'package.json'),
    `${JSON.stringify(publishedManifest(manifest, typed.includes(name)), null, 2)}\n`,
  )
  if (name === 'web') return copyBuiltApp(to)
  compile(name, from, to)
  copyAssets(join(from, 'src'), join(to, 'dist'))
  refuseSourcePaths(join(to, 'dist'))
}

/** Only what is served: the current build. */
function copyBuiltApp(to) {
  ensureBuilt()
  const { id } = readCurrent()
  cpSync(join(webDist, id), join(to, 'dist', id), { recursive: true })
  writeFileSync(join(to, 'dist', 'current.json'), `${JSON.stringify({ id })}\n`)
}

/** `exports` names the compiled files, and the declarations of libraries. */
function publishedManifest(manifest, hasTypes) {
  const compiled = (path) => path.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1.js')
  const exports = Object.entries(manifest.exports ?? {}).map(([key, path]) => [
    key,
    hasTypes ? { types: compiled(path).replace(/\.js$/, '.d.ts'), default: compiled(path) } : compiled(path),
  ])
  return { ...manifest, ...(exports.length > 0 && { exports: Object.fromEntries(exports) }) }
}

function compile(name, from, to) {
  const config = join(stage, `tsconfig.${name}.json`)
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: typed.includes(name),
      rewriteRelativeImportExtensions: true,
      rootDir: join(from, 'src'),
      outDir: join(to, 'dist'),
      typeRoots: [join(root, 'node_modules/@types')],
      paths: Object.fromEntries(typed.filter((other) => other !== name).flatMap(declarations)),
    },
    include: [join(from, 'src')],
    exclude: developmentFiles.map((pattern) => join(from, 'src', pattern)),
  }
  writeFileSync(config, JSON.stringify(settings))
  run(serviceNode(), [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], root)
}

/** Maps the exports of a package to its staged declarations. */
function declarations(name) {
  const manifest = join(stage, name, 'package.json')
  if (!existsSync(manifest)) return []
  return Object.entries(JSON.parse(readFileSync(manifest, 'utf8')).exports).map(([key, { types }]) => [
    join(`@vedette/${name}`, key),
    [join(stage, name, types)],
  ])
}

function copyAssets(from, to) {
  const isAsset = (file) => !/\.tsx?$/.test(file) && !/(^|\/)testing(\/|$)/.test(file)
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name).slice(from.length + 1)
    if (entry.isFile() && isAsset(file)) cpSync(join(from, file), join(to, file))
  }
}

/** The compiler rewrites imports but not strings: a './worker.ts' in a string would fail only at run time. */
function refuseSourcePaths(folder) {
  for (const file of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.js'))) {
    const found = /(['"`])\.{1,2}\/[\w./-]+\.ts\1/.exec(readFileSync(join(folder, file), 'utf8'))
    if (found) throw new Error(`${join(folder, file)} names a TypeScript source at run time: ${found[0]}`)
  }
}

function run(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed\n${error.stdout ?? ''}`)
  }
}
