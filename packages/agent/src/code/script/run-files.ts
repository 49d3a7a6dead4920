// Files that the programs of a run write for the agent (programs/*.cjs). Scripts can write them too, so they are untrusted:
// bounded, links aren't followed, and malformed ones count as absent.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { firstLines } from '../first-lines.ts'

const text = z.string().catch('')
const ThrownError = z.object({ message: text, stack: text })
const TestError = z.object({ message: text, stack: text, isSoft: z.boolean().catch(false) })
const TestResult = z.looseObject({
  titlePath: z.array(z.string()).catch([]),
  outcome: text,
  status: text,
  errors: z.array(TestError),
})
const Tests = z.object({
  tests: z
    .array(z.unknown())
    .transform((tests) => tests.flatMap((test) => TestResult.safeParse(test).data ?? [])),
  errors: z.array(ThrownError),
})
const Degraded = z.object({ messages: z.array(z.unknown()) })

export type TestError = z.output<typeof TestError>
export type TestResult = z.output<typeof TestResult>

export interface RunFiles {
  /** Of the test runner; null: it didn't finish. */
  tests: z.output<typeof Tests> | null
  /** What a plain script threw. */
  error: z.output<typeof ThrownError> | null
  /** Messages of `markCheckAsDegraded`; null: it wasn't called. */
  degraded: string[] | null
  /** Of instrument.cjs. */
  events: unknown[]
  /** Values of secret variables that the script set. */
  secrets: string[]
}

/** Call it after the cell has ended. */
export function readRunFiles(folder: string): RunFiles {
  return {
    tests: Tests.safeParse(readJson(folder, '.vedette/tests.json')).data ?? null,
    error: ThrownError.safeParse(readJson(folder, '.vedette/error.json')).data ?? null,
    degraded: Degraded.safeParse(readJson(folder, 'degraded.json')).data?.messages.map(String) ?? null,
    events: readLines(folder, '.vedette/events.jsonl'),
    secrets: limitSecrets(readLines(folder, '.vedette/secrets.jsonl')),
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

function readJson(folder: string, name: string): unknown {
  return parseJson(readText(folder, name) ?? 'null')
}

function readLines(folder: string, name: string): unknown[] {
  return [...firstLines(readText(folder, name) ?? '', maxLines)].flatMap((line) => parseJson(line) ?? [])
}

function readText(folder: string, name: string): string | null {
  let fd: number
  try {
    // Its directory may be a link too. Nothing changes it meanwhile: the cell has ended.
    if (!lstatSync(join(folder, dirname(name))).isDirectory()) return null
    fd = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > maxBytes) return null
    const bytes = Buffer.alloc(found.size)
    const length = readSync(fd, bytes, 0, found.size, 0)
    return bytes.toString('utf8', 0, length)
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}
