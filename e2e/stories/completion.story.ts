// The completion scripts, in the shells that they are for. That of bash is tested with the table of commands.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const vedette = fileURLToPath(new URL('../../packages/cli/bin/vedette.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'vedette-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function writeScript(shell: string): string {
  const path = join(folder, shell)
  writeFileSync(path, execFileSync(process.execPath, [vedette, 'completion', shell]))
  return path
}

const lines = (text: string) => text.trim().split('\n').filter(Boolean)

describe('completion in zsh', () => {
  const path = writeScript('zsh')
  /** The functions of its completion system print what they receive. */
  const complete = (...words: string[]) =>
    lines(
      execFileSync(
        'zsh',
        [
          '-f',
          '-c',
          `compdef() {}; compadd() { shift; print -l -- "$@" }; _files() { print files }; source ${path}
           words=(vedette ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _vedette`,
        ],
        { encoding: 'utf8' },
      ),
    )

  it('offers commands, words, options, values and files', () => {
    expect(complete('')).toEqual(expect.arrayContaining(['start', 'doctor', 'completion']))
    expect(complete('accounts', '')).toEqual(['list', 'create', 'set-plan', 'rename', 'delete'])
    expect(complete('env', '--')).toEqual(['--shell', '--url', '--account', '--json', '--help'])
    expect(complete('env', '--shell', '')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect(complete('restore', '')).toEqual(['files'])
  })
})

describe('completion in fish', () => {
  const path = writeScript('fish')
  const complete = (line: string) =>
    lines(
      execFileSync('fish', ['--no-config', '-c', `source ${path}; complete -C "vedette ${line}"`], {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      }),
    ).map((text) => text.split('\t')[0])

  it('offers commands, words, options and values', () => {
    expect(complete('')).toEqual(expect.arrayContaining(['start', 'doctor', 'completion']))
    expect(complete('accounts ')).toEqual(expect.arrayContaining(['list', 'create', 'delete']))
    expect(complete('accounts create --')).toEqual(expect.arrayContaining(['--name', '--plan', '--json']))
    expect(complete('env --shell ')).toEqual(expect.arrayContaining(['bash', 'powershell']))
    expect(complete('env --')).not.toContain('--name')
  })
})
