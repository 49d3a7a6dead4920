// Files that the programs of a run write for the agent (programs/*.cjs). Scripts can write them too, so they are untrusted:
// bounded, links aren't followed, and malformed ones count as absent.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { readPlainFile } from '../../core/read-plain-file.ts'
import { plain } from '../playwright-messages.ts'
import { parseReport } from '../test-report.ts'

const Degraded = z.object({ messages: z.array(z.unknown()) })

export type RunFiles = Awaited<ReturnType<typeof readRunFiles>>

/** Call it after the cell has ended. `change`: of the messages and stacks of errors. */
export async function readRunFiles(folder: string, change = plain) {
  // The run may have replaced its directory by a link.
  const isOwn = lstatSync(join(folder, '.vedette'), { throwIfNoEntry: false })?.isDirectory() === true
  const read = async (name: string) =>
    isOwn ? await readPlainFile(join(folder, '.vedette', name), maxBytes) : null
  const text = z.string().catch('').transform(change)
  const ThrownError = z.object({ message: text, stack: text })
  const report = parseReport((await read('results.jsonl')) ?? '', change)
  const degraded = await readPlainFile(join(folder, 'degraded.json'), maxBytes)
  return {
    /** Of the test runner; null: it didn't finish. */
    tests: report?.isWhole ? report : null,
    /** What a plain script threw. */
    error: ThrownError.safeParse(parseJson((await read('error.json')) ?? '')).data ?? null,
    /** Messages of `markCheckAsDegraded`; null: it wasn't called. */
    degraded: Degraded.safeParse(parseJson(degraded ?? '')).data?.messages.map(String) ?? null,
    /** Of instrument.cjs. */
    events: parseLines((await read('events.jsonl')) ?? ''),
    /** Values of secret variables that the script set. */
    secrets: limitSecrets(parseLines((await read('secrets.jsonl')) ?? '')),
  }
}

const maxSecrets = 30
const maxSecretChars = 200_000

/** The cost of scrubbing grows with their number. */
function limitSecrets(noted: readonly unknown[]): string[] {
  const values = new Set(noted.filter((value) => typeof value === 'string'))
  let chars = 0
  return [...values].slice(0, maxSecrets).filter((value) => {
    chars += value.length
    return chars <= maxSecretChars
  })
}

const maxBytes = 5_000_000
/** More than our programs write. */
const maxLines = 10_000

function parseLines(text: string): unknown[] {
  // Lazily: splitting a text of nothing but line breaks would fill the memory.
  return [...text.matchAll(/[^\n]+/g).take(maxLines)].flatMap(([line]) => parseJson(line) ?? [])
}
