// What Playwright's compiler made of the files of a check, in memory. Later runs of the same files get it, and don't load the
// compiler: a third of the loading of the test runner. The host of the first run sends it before any code of the check runs
// (programs/compiled.cjs), so that a run can't leave code for later ones.
import { createHash } from 'node:crypto'
import type { Job } from '@vedette/contracts'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import type { ScriptHost } from './host.ts'
import type { Workspace } from './workspace.ts'
import { writeInside } from './write-inside.ts'

const maxKeptChars = 16_000_000
/** Of one check. */
const maxChars = 2_000_000

/** Paths in the directory of the compiler's cache. */
const CompiledFiles = z.record(z.string().regex(/^[0-9a-f]{2}\/[\w.-]+$/), z.string())

type CompiledFiles = z.output<typeof CompiledFiles>
type OnOutput = ScriptHost['onOutput']

/** Of one runtime. */
export class CompiledScripts {
  /** The least recently used first. */
  readonly #kept = new Map<string, CompiledFiles>()
  #chars = 0

  /** Null: its files weren't compiled before. */
  find(key: string): CompiledFiles | null {
    const files = this.#kept.get(key)
    if (files === undefined) return null
    this.#kept.delete(key)
    this.#kept.set(key, files)
    return files
  }

  keep(key: string, files: CompiledFiles): void {
    if (charsOf(files) > maxChars || this.#kept.has(key)) return
    this.#kept.set(key, files)
    this.#chars += charsOf(files)
    for (const [oldest, others] of this.#kept) {
      if (this.#chars <= maxKeptChars) return
      this.#kept.delete(oldest)
      this.#chars -= charsOf(others)
    }
  }
}

const charsOf = (files: CompiledFiles) => Object.values(files).reduce((sum, text) => sum + text.length, 0)

export interface CompiledRun {
  /** The host sends what it compiles. */
  isWanted: boolean
  /** Passes on the output of the script, without what the host sends. */
  listen(onOutput: OnOutput): OnOutput
}

/** Call it before the script starts, while the directory has only files of the agent. */
export function provideCompiled(
  scripts: CompiledScripts,
  { cell }: Pick<ScriptHost, 'cell'>,
  job: Job,
  { mode, hasEsModules }: Workspace,
): CompiledRun {
  // At the fallback level each run has other paths, which are part of what is compiled. ES modules are compiled elsewhere.
  if (mode !== 'test' || hasEsModules || cell.level === 'fallback')
    return { isWanted: false, listen: (onOutput) => onOutput }
  const key = keyOf(job)
  const known = scripts.find(key)
  for (const [path, text] of Object.entries(known ?? {}))
    writeInside(cell.folder, `.vedette/compiled/${path}`, text)
  return {
    isWanted: known === null,
    listen: (onOutput) =>
      known === null ? afterFirstLine((files) => scripts.keep(key, files), onOutput) : onOutput,
  }
}

/** Code is never shared between checks, even if it is the same. */
function keyOf({ accountId, checkId, check, snippets }: Job): string {
  const { script, scriptPath, dependencies } = check as Record<string, unknown>
  const text = JSON.stringify([accountId, checkId, script, scriptPath, dependencies, snippets])
  return createHash('sha256').update(text).digest('hex')
}

const prefix = '\0compiled '

/** Only the first line of stdout comes from the host; the script may write the same later. */
function afterFirstLine(onFiles: (files: CompiledFiles) => void, onOutput: OnOutput): OnOutput {
  let begun: Buffer[] | null = []
  return (stream, chunk) => {
    if (stream !== 'stdout' || begun === null) return onOutput(stream, chunk)
    begun.push(chunk)
    const end = chunk.indexOf('\n')
    if (end === -1) return
    const whole = Buffer.concat(begun)
    begun = null
    const at = whole.length - chunk.length + end
    const line = whole.toString('utf8', 0, at)
    if (!line.startsWith(prefix)) return onOutput(stream, whole)
    const files = CompiledFiles.safeParse(parseJson(line.slice(prefix.length))).data
    if (files) onFiles(files)
    if (at + 1 < whole.length) onOutput(stream, whole.subarray(at + 1))
  }
}
