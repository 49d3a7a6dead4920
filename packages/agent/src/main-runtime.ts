// `vedette runtime`: lists and installs the runtimes on this machine. The agent may be running meanwhile.

import { parseArgs } from 'node:util'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { npmEnvironment, readBrowserSettings, readRuntimesDir } from './config.ts'
import { findBrowsers } from './runtimes/browsers.ts'
import { findRuntime, listOutdated } from './runtimes/find-runtime.ts'
import { ensureRuntime } from './runtimes/install-runtime.ts'
import { readManifest } from './runtimes/manifest.ts'
import { runtimeCommands } from './runtimes/runtime-commands.ts'

const lines = Object.values(runtimeCommands).map(
  ({ usage, summary }) => `  vedette ${usage}\n      ${summary}`,
)
const usage = `Usage:
${lines.join('\n')}
  --json prints one JSON value instead of text.

The runtimes that scripts of browser and multi-step checks run in: Node.js, Playwright and their packages.
They are in AGENT_RUNTIMES_DIR; by default beside AGENT_DATA_DIR, or beside the data of the server (DATA_DIR).`

interface Output {
  json: unknown
  text: string
}

const commands: Record<string, (names: string[]) => Promise<Output> | Output> = { list, install, browsers }

process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const [word = '', ...names] = positionals
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined
    if (values.help || !command || (word === 'install') === (names.length === 0)) {
      console[values.help ? 'log' : 'error'](usage)
      return values.help ? 0 : 2
    }
    const { json, text } = await command(names)
    console.log(values.json ? JSON.stringify(json, null, 2) : text)
    return 0
  } catch (error) {
    const isWrongUse = errorCode(error)?.startsWith('ERR_PARSE_ARGS') === true
    console.error(`${errorMessage(error)}${isWrongUse ? `\n${usage}` : ''}`)
    return isWrongUse ? 2 : 1
  }
}

function list(): Output {
  const runtimesDir = readRuntimesDir()
  const runtimes = runtimeIds.map((name) => {
    const { stage, nodeJsVersion, dependencies } = readManifest(name)
    return {
      name,
      stage: stage ?? null,
      node: nodeJsVersion.slice(1),
      playwright: dependencies.playwright ?? null,
      folder: findRuntime(name, runtimesDir)?.folder ?? null,
    }
  })
  const outdated = listOutdated(runtimesDir)
  const lines = runtimes.map(({ name, stage, node, playwright, folder }) =>
    [
      name,
      stage?.toLowerCase().padEnd(10),
      `Node.js ${node}`,
      `Playwright ${playwright}`,
      folder ?? 'not installed',
    ].join('  '),
  )
  const notes = outdated.map(
    (folder) => `installed by another version of the agent, can be deleted: ${folder}`,
  )
  return { json: { runtimes, outdated }, text: [...lines, ...notes].join('\n') }
}

async function install(names: string[]): Promise<Output> {
  const runtimesDir = readRuntimesDir()
  const log = {
    info: (fields: Record<string, unknown>, event: string) => {
      if (event === 'runtime.installing') console.error(`installing the runtime ${fields.runtime}…`)
      if (event === 'runtime.waiting-for-another-installation') {
        console.error(`waiting for another installation in ${fields.folder}…`)
      }
    },
  }
  const installed: { name: string; folder: string }[] = []
  for (const name of names) {
    const { folder } = await ensureRuntime(name, { runtimesDir, npmEnvironment: npmEnvironment(), log })
    installed.push({ name, folder })
  }
  return { json: installed, text: installed.map(({ folder }) => folder).join('\n') }
}

/** One line per program, its path or a dash: scripts/browser.mjs reads it. */
function browsers(): Output {
  const { chromium, headlessShell, ffmpeg } = findBrowsers(readBrowserSettings())
  const found = { chromium, 'chromium-headless-shell': headlessShell, ffmpeg }
  const lines = Object.entries(found).map(([name, path]) => `${name} ${path ?? '-'}`)
  return { json: found, text: lines.join('\n') }
}
