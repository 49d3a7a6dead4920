// Checks the traces in docs/architecture.md: every file exists, and each imports the next.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readModules, readTree } from './check-zones.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path) => readFileSync(join(root, path), 'utf8')
const modules = readModules(readTree(root))

const section = read('docs/architecture.md')
  .split(/^## /m)
  .find((text) => text.startsWith('Three traces'))
const traces = (section ?? '')
  .split(/^### /m)
  .slice(1)
  .map((text) => [text.slice(0, text.indexOf('\n')), text.split('\n').flatMap(readStep)])

/** "1. `file`: …" is a step, "   - `file`: …" a file that the step before uses, "2. table `name`" the end of a chain. */
function readStep(line) {
  const [, indent = '', marker, name = ''] = /^( *)(\d+\. table|\d+\.|-) `([^`]+)`/.exec(line) ?? []
  if (marker === undefined) return []
  if (marker.endsWith('table')) return [{ kind: 'table', name }]
  const file = name.startsWith('contracts/')
    ? name.replace('contracts/', 'packages/contracts/src/')
    : `packages/server/src/${name}`
  return [{ kind: indent === '' ? 'step' : 'used', name: file }]
}

/** Through any number of files. */
function reaches(from, to, seen = new Set()) {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return (modules.get(from)?.imports ?? []).some(({ target }) => target !== null && reaches(target, to, seen))
}

describe('the traces of docs/architecture.md', () => {
  it('are three', () => {
    expect(traces.map(([title]) => title)).toEqual([
      'A check is created',
      'A failure becomes a webhook',
      'A chart gets its numbers',
    ])
  })

  it.each(traces)('%s: names files and tables that exist', (_, steps) => {
    expect(steps.length).toBeGreaterThan(4)
    const tables = read('packages/server/schema.sql')
    const missing = steps.filter(({ kind, name }) =>
      kind === 'table' ? !tables.includes(`create table ${name} (`) : !modules.has(name),
    )
    expect(missing).toEqual([])
  })

  it.each(traces)('%s: each file imports the next', (_, steps) => {
    const broken = []
    let step = null
    for (const { kind, name } of steps) {
      if (kind !== 'table' && step !== null && !reaches(step, name)) broken.push(`${step} → ${name}`)
      // Another part of the server reads the table later.
      if (kind !== 'used') step = kind === 'table' ? null : name
    }
    expect(broken).toEqual([])
  })
})

describe('the extension for several machines', () => {
  it('is named in one file of the server', () => {
    const named = [...modules.keys()].filter(
      (path) => /^packages\/server\/src\/.*(?<!\.test)\.ts$/.test(path) && /citus/i.test(read(path)),
    )
    expect(named).toEqual(['packages/server/src/storage/core/distribution.ts'])
  })
})
