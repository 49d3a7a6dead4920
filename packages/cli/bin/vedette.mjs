#!/usr/bin/env node
// Plain JavaScript for Node 20: finds a Node 24 to run on, then hands over to main.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const argv = process.argv.slice(2)

if (Number.parseInt(process.versions.node, 10) < 24) {
  process.exitCode = await runProgram(findNode(), [fileURLToPath(import.meta.url), ...argv])
} else {
  // A checkout runs from source; a packed one is compiled, since Node refuses TypeScript under node_modules.
  const fromSource = existsSync(new URL('../src/main.ts', import.meta.url))
  const { main } = fromSource ? await import('../src/main.ts') : await import('../dist/main.js')
  process.exitCode = await main(argv, (file, args, defaults) =>
    runProgram(process.execPath, [file, ...args], defaults),
  )
}

function findNode() {
  const name = `node-${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
  } catch {
    console.error(
      `vedette: needs Node 24 or newer; this is ${process.version}, and the package ${name} that would bring it is not installed`,
    )
    process.exit(1)
  }
}

/** Runs a program on this terminal; signals go on to it. Resolves to its exit code. */
function runProgram(command, args, defaults = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...defaults, ...process.env } })
    const forward = (signal) => {
      // A terminal sends Ctrl-C to every process of the group: the child already has it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    // npx that is ended leaves its programs behind: a server must not go on unseen.
    const parent = process.ppid
    const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1_000).unref()
    if (process.env.npm_command === undefined) clearInterval(watch)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, forward)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}
