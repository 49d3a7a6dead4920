// Does what docs/monitoring-as-code.md says, word for word: its commands and its files; then the commands of the CI files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listChecks } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { ciFiles, ownVariables } from './ci-files.ts'
import { readBlocks } from './guide.ts'
import { npmSettings, runShell } from './run-shell.ts'

const blocks = readBlocks(fileURLToPath(new URL('../../../docs/monitoring-as-code.md', import.meta.url)))
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
const textOf = (title: string) => {
  const block = blocks.find((one) => one.title === title)
  if (block === undefined) throw new Error(`The guide has no file ${title}`)
  return block.text
}

describe('the guide to monitoring as code', { timeout: 300_000 }, () => {
  const scene = new Scene()
  const folder = mkdtempSync(join(tmpdir(), 'vedette-guide-'))
  const project = join(folder, 'shop')
  let site: Site

  beforeAll(async () => {
    site = await Site.open()
    site.on('/', { headers: { 'content-type': 'text/html' }, body: '<h1>A shop</h1>' })
    await scene.open()
  }, 240_000)
  afterAll(async () => {
    await scene.close()
    await site.shut()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The values that the guide shows as examples, as they are here. */
  const settings = (): Record<string, string> => ({
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: scene.account.baseUrl,
    CHECKLY_MQTT_URL: scene.account.baseUrl.replace('http', 'ws'),
    CHECKLY_API_KEY: (scene.account.headers.Authorization ?? '').replace('Bearer ', ''),
    CHECKLY_ACCOUNT_ID: scene.account.id,
  })

  async function run(
    command: string,
    cwd: string,
    environment: Record<string, string> = {},
  ): Promise<string> {
    const { code, output } = await runShell(command, cwd, {
      HOME: folder,
      SHOP_URL: site.url('/'),
      ...npmSettings(),
      ...environment,
    })
    expect(code, `${command}\n${output}`).toBe(0)
    return output
  }

  const names = async () => (await scene.account.call(listChecks)).map(({ name }) => name).sort()

  it('has the commands and the files of each step', () => {
    expect(commands).toHaveLength(5)
    expect(blocks.filter(({ title }) => title !== null)).toHaveLength(4)
    expect(
      textOf('.env')
        .match(/^\w+(?==)/gm)
        ?.sort(),
    ).toEqual(Object.keys(settings()).sort())
  })

  it('makes a project, tests it and deploys it', async () => {
    const [make = '', test = '', deploy = '', trigger = ''] = commands
    await run(make, folder)
    const env = Object.entries(settings()).map(([name, value]) => `${name}=${value}\n`)
    const files = blocks.flatMap(({ title, language, text }) =>
      title === null || language !== 'ts' ? [] : [{ path: title, text }],
    )
    for (const { path, text } of [...files, { path: '.env', text: env.join('') }]) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
    expect(await run('npx checkly --version', project)).toContain('checkly/9.5.0 ')
    const tested = await run(test, project)
    expect(tested).toContain(scene.account.id)
    expect(tested).toContain('2 passed, 2 total')
    const deployed = await run(deploy, project)
    expect(deployed).toMatch(/Successfully deployed/)
    const triggered = await run(trigger, project)
    expect(triggered).toContain('2 passed, 2 total')
  })

  it('leaves the checks in the account', async () => {
    expect(await names()).toEqual(['Home page', 'home.spec.ts'])
    expect(site.requests.some(({ headers }) => headers['user-agent']?.includes('Chrome'))).toBe(true)
  })

  it.each(ciFiles)('has a CI file $name, whose commands work', async ({ variables, commands, name }) => {
    expect(Object.keys({ ...variables, ...ownVariables[name] }).sort()).toEqual(
      Object.keys(settings()).sort(),
    )
    const environment = {
      ...settings(),
      CI: 'true',
      [name === 'gitlab-ci' ? 'GITLAB_CI' : 'GITHUB_ACTIONS']: 'true',
    }
    const outputs: string[] = []
    for (const command of commands) outputs.push(await run(command, project, environment))
    expect(outputs.join('\n')).toMatch(/2 passed/i)
  })

  it('removes the project', async () => {
    await run(commands[4] ?? '', project)
    expect(await names()).toEqual([])
  })
})
