import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const runNamed = fileURLToPath(new URL('./run-named.mjs', import.meta.url))

describe('runNamed', () => {
  let folder
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-run-named-'))
    for (const name of ['browser', 'plain']) {
      writeFileSync(
        join(folder, `${name}.bench.ts`),
        `console.log('${name} ran with', process.argv.slice(2).join())`,
      )
    }
    writeFileSync(
      join(folder, 'main.mjs'),
      `import { runNamed } from ${JSON.stringify(runNamed)}
await runNamed({
  kind: 'bench',
  folder: ${JSON.stringify(folder)},
  suffix: '.bench.ts',
  codeRunners: ['browser'],
  prepareForCode: async () => console.log('prepared'),
})
`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (...args) => {
    const { stdout, status } = spawnSync(process.execPath, [join(folder, 'main.mjs'), ...args], {
      encoding: 'utf8',
    })
    return { stdout, status }
  }

  it('installs a runtime and a browser before a program that runs code', () => {
    expect(run('browser', '5')).toEqual({ stdout: 'prepared\nbrowser ran with 5\n', status: 0 })
  })

  it('installs nothing for other programs', () => {
    expect(run('plain')).toEqual({ stdout: 'plain ran with \n', status: 0 })
  })

  it('lists the programs, and fails for one that does not exist', () => {
    expect(run()).toMatchObject({ stdout: expect.stringContaining('browser, plain'), status: 0 })
    expect(run('fast').status).toBe(2)
  })
})
