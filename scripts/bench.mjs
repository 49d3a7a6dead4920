// npm run bench -- NAME [args]: one published figure. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, serviceNode } from './install.mjs'

const folder = fileURLToPath(new URL('../bench', import.meta.url))
const suffix = '.bench.ts'
const names = (existsSync(folder) ? readdirSync(folder) : [])
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
const [name, ...args] = process.argv.slice(2)

if (name === undefined || !names.includes(name)) {
  if (name !== undefined) console.error(`there is no bench "${name}"`)
  console.log(`Usage: npm run bench -- NAME [args]\nBenches: ${names.join(', ') || 'none yet'}`)
  process.exitCode = name === undefined ? 0 : 2
} else {
  await ensureInstalled()
  const child = spawn(serviceNode(), [join(folder, name + suffix), ...args], { stdio: 'inherit' })
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
}
