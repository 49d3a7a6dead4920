import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const run = (...args) => {
  const options = { cwd: root, encoding: 'utf8' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/runtime.mjs', ...args], options)
  return { status, stdout, stderr }
}

describe('npm run runtime', () => {
  it('lists the runtimes of this checkout, newest first', () => {
    const { status, stdout } = run('list')
    expect(status).toBe(0)
    const names = stdout.split('\n').flatMap((line) => /^\d{4}\.\d{2}/.exec(line)?.[0] ?? [])
    expect(names).toEqual(['2026.04', '2025.04', '2024.09', '2024.02', '2023.09', '2023.02', '2022.10'])
  })

  it('prints why an installation failed', () => {
    const unknown = run('install', '2019.01')
    expect(unknown.status).toBe(1)
    expect(unknown.stderr).toContain('There is no runtime 2019.01')
  })
})
