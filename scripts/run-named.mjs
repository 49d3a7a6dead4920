// Runs a program of a directory by its name, on the Node of the product.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBrowser } from './browser.mjs'
import { ensureInstalled, serviceNode } from './install.mjs'
import { ensureRuntimeInstalled } from './runtime.mjs'

/** `codeRunners`: the programs that run code checks, for which a runtime and a browser are installed. */
export async function runNamed({ kind, folder, suffix, codeRunners, prepareForCode = installForCode }) {
  const names = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
  const [name, ...args] = process.argv.slice(2)
  if (name === undefined || !names.includes(name)) {
    if (name !== undefined) console.error(`there is no ${kind} "${name}"`)
    console.log(`Usage: npm run ${kind} -- NAME [args]\nThere are: ${names.join(', ') || 'none yet'}`)
    process.exitCode = name === undefined ? 0 : 2
    return
  }
  ensureInstalled()
  if (codeRunners.includes(name)) await prepareForCode()
  const child = spawn(serviceNode(), [join(folder, name + suffix), ...args], { stdio: 'inherit' })
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
}

async function installForCode() {
  ensureRuntimeInstalled()
  await ensureBrowser()
}
