// `vedette runtime`: lists and installs the runtimes on this machine. The agent may be running meanwhile.

import { parseArgs } from 'node:util'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { errorMessage } from '@vedette/safeguards/errors'
import { npmEnvironment, readBrowserSettings, readRuntimesDir } from './config.ts'
import { findBrowsers } from './runtimes/browsers.ts'
import { findRuntime, listOutdated } from './runtimes/find-runtime.ts'
import { ensureRuntime } from './runtimes/install-runtime.ts'
import { readManifest } from './runtimes/manifest.ts'

const usage = `Usage: vedette runtime list
       vedette runtime install NAME…
       vedette runtime browsers

The runtimes that scripts of browser and multi-step checks run in: Node.js, Playwright and their packages.
  list      shows the runtimes, and which of them are installed
  install   installs runtimes with npm; a running agent finds them at once
  browsers  shows which browsers an agent finds on this machine

They are in AGENT_RUNTIMES_DIR; by default beside AGENT_DATA_DIR, or beside the data of the server (DATA_DIR).`

const commands: Record<string, (names: string[]) => Promise<void> | void> = { list, install, browsers }

process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parse(argv) ?? { values: {}, positionals: [] }
  const [word = '', ...names] = positionals
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined
  if (values.help || !command || (word === 'install') === (names.length === 0)) {
    console[values.help ? 'log' : 'error'](usage)
    return values.help ? 0 : 2
  }
  try {
    await command(names)
    return 0
  } catch (error) {
    console.error(errorMessage(error))
    return 1
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    console.error(errorMessage(error))
    return null
  }
}

function list(): void {
  const runtimesDir = readRuntimesDir()
  for (const name of runtimeIds) {
    const { stage, nodeJsVersion, dependencies } = readManifest(name)
    const facts = [`Node.js ${nodeJsVersion.slice(1)}`, `Playwright ${dependencies.playwright}`]
    const location = findRuntime(name, runtimesDir)?.folder ?? 'not installed'
    console.log([name, stage?.toLowerCase().padEnd(10), ...facts, location].join('  '))
  }
  for (const folder of listOutdated(runtimesDir)) {
    console.log(`installed by another version of the agent, can be deleted: ${folder}`)
  }
}

async function install(names: string[]): Promise<void> {
  const runtimesDir = readRuntimesDir()
  const log = {
    info: (fields: Record<string, unknown>, event: string) => {
      if (event === 'runtime.installing') console.error(`installing the runtime ${fields.runtime}…`)
      if (event === 'runtime.waiting-for-another-installation') {
        console.error(`waiting for another installation in ${fields.folder}…`)
      }
    },
  }
  for (const name of names) {
    const { folder } = await ensureRuntime(name, { runtimesDir, npmEnvironment: npmEnvironment(), log })
    console.log(folder)
  }
}

/** One line per program, its path or a dash: scripts/browser.mjs reads it. */
function browsers(): void {
  const { chromium, headlessShell, ffmpeg } = findBrowsers(readBrowserSettings())
  const found = { chromium, 'chromium-headless-shell': headlessShell, ffmpeg }
  for (const [name, path] of Object.entries(found)) console.log(`${name} ${path ?? '-'}`)
}
