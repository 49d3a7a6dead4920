// `vedette login` and `vedette env` prepare the published CLI, which itself knows no other server than the hosted one.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listChecks } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Scene } from '../../scene.ts'
import { PublishedCli } from './published-cli.ts'
import { runShell } from './run-shell.ts'

const vedette = `node ${fileURLToPath(new URL('../../../packages/cli/bin/vedette.mjs', import.meta.url))}`

describe('vedette login, with the published CLI', { timeout: 120_000 }, () => {
  const scene = new Scene()
  const home = mkdtempSync(join(tmpdir(), 'vedette-home-'))
  let cli: PublishedCli
  let checkly: string
  let project: string

  beforeAll(async () => {
    await scene.open()
    cli = await PublishedCli.install({ version: '9.5.0', node: null }, scene.account)
    checkly = cli.program.join(' ')
    project = cli.project('monitored', {
      'checkly.config.ts':
        "import { defineConfig } from 'checkly'\nexport default defineConfig({ projectName: 'Monitored', logicalId: 'monitored', checks: { locations: ['eu-west-1'] } })\n",
      '__checks__/home.check.ts':
        "import { UrlMonitor } from 'checkly/constructs'\nnew UrlMonitor('home', { name: 'Home', activated: false, request: { url: 'https://example.com' } })\n",
    })
  }, 300_000)
  afterAll(async () => {
    await scene.close()
    cli.remove()
    rmSync(home, { recursive: true, force: true })
  })

  const key = () => cli.environment.CHECKLY_API_KEY ?? ''
  const run = (command: string, replies: { question: string; answer: string }[] = []) =>
    runShell(command, project, { HOME: home }, replies)

  it('asks for address and key on a terminal, and shows nothing of the key', async () => {
    const { code, output } = await run(`script --quiet --return --command "${vedette} login" /dev/null`, [
      { question: 'Address of the server', answer: scene.account.baseUrl },
      { question: 'API key for', answer: key() },
    ])
    expect(code, output).toBe(0)
    expect(output).toContain(`Logged in to ${scene.account.baseUrl}`)
    expect(output).not.toContain(key())
    for (const name of ['auth.json', 'config.json']) {
      expect(statSync(join(home, '.config/@checkly/cli-local', name)).mode & 0o777).toBe(0o600)
    }
  })

  it('lets the published CLI use the key and the account, given the address', async () => {
    const address = `CHECKLY_ENV=local CHECKLY_API_URL=${scene.account.baseUrl}`
    const { code, output } = await run(`${address} ${checkly} whoami`)
    expect(code, output).toBe(0)
    expect(output).toContain(scene.account.id)
  })

  it('prints all that the published CLI needs', async () => {
    const { code, output } = await run(
      `eval "$(${vedette} env)"; ${checkly} whoami; ${checkly} deploy --force`,
    )
    expect(code, output).toBe(0)
    expect(output).toContain('Successfully deployed')
    expect((await scene.account.call(listChecks)).map(({ name }) => name)).toEqual(['Home'])
  })

  it('removes the login', async () => {
    expect((await run(`${vedette} logout`)).code).toBe(0)
    const { code, output } = await run(
      `CHECKLY_ENV=local CHECKLY_API_URL=${scene.account.baseUrl} ${checkly} whoami`,
    )
    expect(code, output).not.toBe(0)
    expect((await run(`${vedette} env`)).output).toContain('vedette login')
  })
})
