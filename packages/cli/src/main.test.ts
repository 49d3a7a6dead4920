import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { main } from './main.ts'

const bin = fileURLToPath(new URL('../bin/vedette.mjs', import.meta.url))

describe('vedette', () => {
  it.each(['accounts', 'users', 'keys', 'backup', 'restore', 'secret-key'])(
    'hands "%s" and its options to the operate program',
    async (name) => {
      const runProgram = vi.fn(async () => 3)
      expect(await main([name, 'list', '--json'], runProgram)).toBe(3)
      expect(runProgram).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/operate\.(ts|js)$/), [
        name,
        'list',
        '--json',
      ])
    },
  )

  it('starts the server, and nothing else, on "start"', async () => {
    const runProgram = vi.fn(async () => 0)
    expect(await main(['start'], runProgram)).toBe(0)
    expect(runProgram).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/main\.(ts|js)$/), [])
  })

  it.each([
    ['--help', 0],
    ['--port', 2],
  ])('starts nothing on "start %s"', async (option, code) => {
    const runProgram = vi.fn(async () => 0)
    expect(await main(['start', option], runProgram)).toBe(code)
    expect(runProgram).not.toHaveBeenCalled()
  })

  it.each(['sart', 'constructor', '--hlep'])('refuses the unknown command "%s" with exit code 2', (word) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [bin, word], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(`"${word}"`)
  })

  it.each([['help'], ['--help'], []])('lists its commands with exit code 0: %s', (...argv) => {
    const { status, stdout } = spawnSync(process.execPath, [bin, ...argv], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout).toMatch(/start[\s\S]*accounts[\s\S]*secret-key/)
  })

  it('prints its version', () => {
    expect(spawnSync(process.execPath, [bin, '--version'], { encoding: 'utf8' }).stdout).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    )
  })
})
