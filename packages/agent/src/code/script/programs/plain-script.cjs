// Loads a plain script: by Node where it is JavaScript, otherwise with Playwright's compiler.
'use strict'
const fs = require('node:fs')
const nodeModule = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const vm = require('node:vm')

const { load } = require('./load-ahead.cjs')

/** `isAlone`: the check has no other files, which may be TypeScript or ES modules. */
exports.loadScript = async ({ file, isAlone }) => {
  if (isAlone && /\.[cm]?[jt]s$/.test(file)) {
    const source = fs.readFileSync(file, 'utf8')
    const loaded = loadJavaScript(file, source) ?? (await importJavaScript(file, source))
    if (loaded) return loaded
  }
  const { requireOrImport } = loadCompiler()
  return requireOrImport(file).catch(async (error) => {
    // Top-level imports and awaits need an ES module. Nothing of the script has run yet.
    if (error?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error
    const module = `${withoutExtension(file)}.mts`
    fs.copyFileSync(file, module)
    await registerLoader()
    return requireOrImport(module)
  })
}

/** Null: it isn't a CommonJS module in JavaScript. Saves the compiler: 0.4 s of CPU. */
function loadJavaScript(file, source) {
  try {
    new vm.Script(nodeModule.wrap(source), { filename: file })
  } catch {
    return null
  }
  const module = new nodeModule.Module(file, null)
  module.filename = file
  module.paths = nodeModule.Module._nodeModulePaths(path.dirname(file))
  require.cache[file] = module
  module._compile(source, file)
  return module.exports
}

const started = '__vedetteStarted'

/** Null: Node can't link it as an ES module. The compiler then makes it a CommonJS module, which may use `require`. */
async function importJavaScript(file, source) {
  if (!/^\s*(?:import|export)\b/m.test(source)) return null
  if (/\b(?:require|module|exports|__dirname|__filename)\b/.test(source)) return null
  const module = `${withoutExtension(file)}.mjs`
  fs.writeFileSync(module, `globalThis.${started} = true; ${source}`)
  try {
    return await import(pathToFileURL(module).href)
  } catch (error) {
    if (globalThis[started]) throw error
    return null
  }
}

const withoutExtension = (file) => file.replace(/\.[cm]?[jt]sx?$/, '')

/** Paths of the compiler in Playwright 1.60 and later, 1.38, 1.32, 1.28. */
const compilers = [
  'playwright/lib/common/index.js',
  'playwright/lib/transform/transform.js',
  '@playwright/test/lib/common/transform.js',
  '@playwright/test/lib/transform.js',
]

/** Without a compiler, Node handles TypeScript. */
function loadCompiler() {
  for (const file of compilers) {
    try {
      const loaded = load(file)
      const { requireOrImport, installTransform } = loaded.transform ?? loaded
      if (requireOrImport) return { requireOrImport }
      installTransform()
      break
    } catch {
      // Not in this version.
    }
  }
  return {
    requireOrImport: async (file) =>
      file.endsWith('.mts') ? import(pathToFileURL(file).href) : require(file),
  }
}

/** Playwright's loader of ES modules in TypeScript. Without it, Node strips the types if it can. */
async function registerLoader() {
  try {
    const { registerESMLoader, configureESMLoader } = load('playwright/lib/common/esmLoaderHost.js')
    if (registerESMLoader()) await configureESMLoader()
  } catch {
    // Not in this version.
  }
}
