import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { main } from './main.ts'

const bin = fileURLToPath(new URL('../bin/vedette.mjs', import.meta.url))

describe('vedette', () => {
  it.each(['accounts', 'users', 'keys', 'agent-keys', 'links', 'pages', 'backup', 'restore', 'secret-key'])(
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
    expect(runProgram).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/main\.(ts|js)$/), [], {
      UV_THREADPOOL_SIZE: '32',
      MALLOC_ARENA_MAX: '2',
      NODE_OPTIONS: '--max-semi-space-size=4',
    })
  })

  it.each([
    ['--help', 0],
    ['--port', 2],
  ])('starts nothing on "start %s"', async (option, code) => {
    const runProgram = vi.fn(async () => 0)
    expect(await main(['start', option], runProgram)).toBe(code)
    expect(runProgram).not.toHaveBeenCalled()
  })

  it.each([
    [[], /agent\/(src|dist)\/main\.(ts|js)$/],
    [['--uptime'], /agent\/(src|dist)\/main-uptime\.(ts|js)$/],
  ])('starts the agent on "agent %s", with little memory and threads enough', async (options, program) => {
    const runProgram = vi.fn(async () => 0)
    expect(await main(['agent', ...options], runProgram)).toBe(0)
    const defaults = expect.objectContaining({ UV_THREADPOOL_SIZE: '16', NODE_OPTIONS: expect.any(String) })
    expect(runProgram).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(program), [], defaults)
  })

  it('hands "runtime" and its options to the program of the agent', async () => {
    const runProgram = vi.fn(async () => 3)
    expect(await main(['runtime', 'install', '2025.04'], runProgram)).toBe(3)
    const program = expect.stringMatching(/agent\/(src|dist)\/main-runtime\.(ts|js)$/)
    expect(runProgram).toHaveBeenCalledExactlyOnceWith(program, ['install', '2025.04'])
  })

  it.each([
    ['--help', 0],
    ['--port', 2],
  ])('starts no agent on "agent %s"', async (option, code) => {
    const runProgram = vi.fn(async () => 0)
    expect(await main(['agent', option], runProgram)).toBe(code)
    expect(runProgram).not.toHaveBeenCalled()
  })

  it('gives a program its defaults, and the user the last word', () => {
    const run = (environment: Record<string, string>) =>
      spawnSync(process.execPath, [bin, 'agent'], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, ...environment },
        timeout: 60_000,
      })
    const wrong = run({ UV_THREADPOOL_SIZE: 'many', API_KEY: 'x', SERVER_URL: 'http://127.0.0.1:1' })
    expect(wrong.status).toBe(1)
    expect(wrong.stderr).toContain('UV_THREADPOOL_SIZE: must be a whole number')
    expect(run({}).stderr).not.toContain('UV_THREADPOOL_SIZE')
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
