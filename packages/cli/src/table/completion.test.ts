import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { clientCommands } from './client-commands.generated.ts'
import { commandTable } from './command-table.ts'
import { completions } from './completion.ts'
import { operateCommands } from './operate-commands.generated.ts'
import { runtimeCommands } from './runtime-commands.generated.ts'

const script = completions.bash?.() ?? ''

/** What bash offers after these words; the last one is incomplete. */
function complete(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const program = `${script}\nCOMP_WORDS=(vedette ${quoted}); COMP_CWORD=${words.length}; _vedette; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split('\n').filter(Boolean)
}

describe('completion in bash', () => {
  it('offers all commands, or those with the prefix', () => {
    expect(complete('')).toEqual([...commandTable.keys()])
    expect(complete('log')).toEqual(['login', 'logout'])
  })

  it('offers the words of a group', () => {
    expect(complete('accounts', '')).toEqual(['list', 'create', 'set-plan', 'rename', 'delete'])
    expect(complete('completion', 'z')).toEqual(['zsh'])
  })

  it('offers options and their values', () => {
    expect(complete('accounts', 'create', '--')).toEqual([
      '--name',
      '--plan',
      '--owner-email',
      '--json',
      '--help',
    ])
    expect(complete('keys', 'create', '--role', 'READ')).toEqual(['READ_ONLY', 'READ_RUN', 'READ_WRITE'])
    expect(complete('env', '--shell', 'p')).toEqual(['powershell'])
    expect(complete('env', '--s')).toEqual(['--shell'])
    expect(complete('agent', '--')).toEqual(['--uptime', '--help'])
  })

  it('leaves the names of files to bash', () => {
    expect(complete('backup', '')).toEqual([])
    expect(complete('backup', '--w')).toEqual(['--without-secret-key'])
    expect(complete('secret-key', 'rotate', '--new-key-file', '')).toEqual([])
  })
})

describe('the table of commands', () => {
  it('has all commands', () => {
    const all = { ...clientCommands, ...operateCommands, ...runtimeCommands }
    const groups = new Set(Object.keys(all).map((name) => name.split(' ')[0]))
    expect([...groups].filter((name) => name === undefined || !commandTable.has(name))).toEqual([])
  })

  it('has a command and a summary for every group', () => {
    for (const [name, { summary, commands }] of commandTable) {
      expect(summary, name).not.toBe('')
      expect(Object.keys(commands), name).not.toHaveLength(0)
    }
  })
})
