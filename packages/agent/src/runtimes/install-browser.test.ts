import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../core/log.ts'
import { browserInstaller } from './install-browser.ts'

let folder: string
let lines: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-installer-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const marks = () => {
  const path = join(folder, 'marks')
  return existsSync(path) ? readFileSync(path, 'utf8').length : 0
}

function installerThat(body: string, retryMs?: number) {
  const program = join(folder, 'install.mjs')
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(join(folder, 'marks'))}, 'x')\n${body}`,
  )
  return browserInstaller({
    program,
    environment: {},
    log: createLog('INFO', (line) => lines.push(line)),
    ...(retryMs !== undefined && { retryMs }),
  })
}

describe('the installation of a browser', () => {
  it('runs once for all runs that wait for it', async () => {
    const installer = installerThat('')
    const both = [installer.install(), installer.install()]
    expect(installer.isInstalling).toBe(true)
    await Promise.all(both)
    expect(installer.isInstalling).toBe(false)
    expect(marks()).toBe(1)
    expect(lines.join('')).toMatch(/browser\.installing.*browser\.installed/s)
  })

  it('logs why it failed, and is not repeated by every run', async () => {
    const installer = installerThat("console.error('only root can install packages'); process.exit(1)")
    await installer.install()
    await installer.install()
    expect(marks()).toBe(1)
    expect(lines.join('')).toMatch(
      /browser\.not-installed.*only root can install packages|only root.*not-installed/s,
    )
  })

  it('is tried again later', async () => {
    const installer = installerThat('process.exit(1)', 0)
    await installer.install()
    await installer.install()
    expect(marks()).toBe(2)
  })
})
