// Writes the generated files of the agent: the example of its settings, their names for the Helm chart, the seccomp profile of
// containers, the list of runtimes, and the facts of check types that an agent needs. With --check it compares instead, and fails
// on a difference.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type CheckDefinition, checkTypes, runtimeIds } from '@vedette/contracts'
import { environmentExample, settingNames } from './config.ts'
import { readManifest } from './runtimes/manifest.ts'
import { runtimeCommands } from './runtimes/runtime-commands.ts'
import { containerProfile } from './sandbox/container-profile.ts'

const files = {
  'deploy/agent.env.example': environmentExample(),
  'deploy/chart/settings/agent.json': `${json(settingNames())}\n`,
  'deploy/seccomp.json': containerProfile(),
  'packages/contracts/src/runs/runtimes/manifests.generated.ts': manifests(),
  'packages/contracts/src/checks/type-facts.generated.ts': typeFacts(),
  'packages/cli/src/table/runtime-commands.generated.ts': commandTable(),
}

for (const [file, text] of Object.entries(files)) {
  const path = new URL(`../../../${file}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`Out of date: ${file}. Run npm run generate.\n`)
    process.exitCode = 1
  }
}

/** For help and completion of the `vedette` command. */
function commandTable(): string {
  return `// Generated from packages/agent/src/runtimes/runtime-commands.ts; do not edit.
import type { CommandDescription } from '../core/command-description.ts'

export const runtimeCommands: Readonly<Record<string, CommandDescription>> = ${json(runtimeCommands)}
`
}

function manifests(): string {
  return `// Generated from packages/agent/runtimes by packages/agent/src/generate.ts; do not edit.
import type { RuntimeManifest } from './manifest.ts'

/** Every runtime, newest first. */
export const runtimes: RuntimeManifest[] = ${json(runtimeIds.map(readManifest))}
`
}

/** Without the schemas of the definitions, which would take some megabytes of an agent's memory. */
function typeFacts(): string {
  const types = Object.values<CheckDefinition>(checkTypes)
  const facts = types.map(({ type, capacity, runLimitMs, metrics, responseTimeMetric }) => {
    const indexes = Object.entries(metrics).map(([name, { index }]) => [name, index])
    return [type, { capacity, runLimitMs, metrics: Object.fromEntries(indexes), responseTimeMetric }]
  })
  const sources = Object.assign({}, ...types.map((definition) => definition.sources))
  return `// Generated from the definitions of check types by packages/agent/src/generate.ts; do not edit.

export const typeFacts = ${json(Object.fromEntries(facts))} as const

/** What assertions can be made about, over all types. */
export const assertionSources = ${json(sources)} as const
`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
