import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Account } from '../../account.ts'
import { Installation } from '../../installation.ts'
import { everyConstruct, removable } from './every-construct.ts'
import { clients, PublishedCli } from './published-cli.ts'

/** What the suite of the project is written with. */
const playwright = '@playwright/test@1.65.0'
const removableFile = '__checks__/removable.check.ts'

interface Check {
  id: string
  updated_at: string | null
}

describe.each(clients)('checkly $version', { timeout: 600_000 }, (release) => {
  const major = Number(release.version.split('.')[0])
  let installation: Installation
  let account: Account
  let cli: PublishedCli
  let folder: string

  beforeAll(async () => {
    installation = await Installation.create()
    const running = await installation.start({ AGENT: 'off' })
    account = new Account(installation, running)
    cli = await PublishedCli.install(release, account, [playwright])
    folder = cli.project(
      'project',
      everyConstruct('every-construct', { target: 'http://127.0.0.1:9', major }),
    )
  }, 300_000)
  afterAll(async () => {
    cli.remove()
    await installation.remove()
  })

  /** `prompts`: answers in the order of the questions. */
  const run = (words: readonly string[], prompts: readonly unknown[] = []) =>
    cli.run(folder, words, {
      CHECKLY_LOCKFILE_PRUNE: '0',
      CHECKLY_E2E_DISABLE_FANCY_OUTPUT: '1',
      ...(prompts.length > 0 && { CHECKLY_E2E_PROMPTS_INJECTIONS: JSON.stringify(prompts) }),
    })
  const change = (text: string) => cli.project('project', { [removableFile]: text })
  const leaveOut = () => rmSync(join(folder, removableFile))

  const count = async (path: string) => {
    const response = await account.fetch(path)
    return Number(response.headers.get('content-range')?.split('/')[1])
  }

  it('is exactly this release', async () => {
    const { output } = await run(['--version'])
    console.info(output.trim())
    expect(output).toContain(`checkly/${release.version} `)
    expect(output).toContain(`node-v${major >= 9 ? 24 : 20}.`)
    expect((await run(['whoami'])).code).toBe(0)
  })

  it('previews a project with every construct', async () => {
    const { code, output } = await run(['deploy', '--preview'])
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Create:') })
    expect(output).toContain('ApiCheck: api')
    expect(await count('/v1/checks')).toBe(0)
  })

  it('deploys it', async () => {
    const { code, output } = await run(['deploy', '--force', '--output', '--verbose'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('Successfully deployed'),
    })
    // It prints where to send pings.
    expect(output).toContain('/ping/')
    expect(await count('/v1/checks')).toBe(15)
  })

  it('deploys it again without a change', async () => {
    const versions = async () => {
      const response = await account.fetch('/v1/checks?limit=100')
      const checks: Check[] = Object(await response.json())
      return checks.map(({ id, updated_at }) => [id, updated_at])
    }
    const before = await versions()
    const { code, output } = await run(['deploy', '--force', '--output'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('Update and Unchanged:'),
    })
    expect(output).not.toContain('Create:')
    expect(await versions()).toEqual(before)
  })

  it('asks before it deletes', async () => {
    leaveOut()
    const before = await count('/v1/checks')
    const refused = await run(['deploy'], [true, false])
    expect(refused.output).toContain('removable')
    expect(await count('/v1/checks')).toBe(before)
    const { code, output } = await run(['deploy', '--force', '--output'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Delete:\s+Check: removable/),
    })
    expect(await count('/v1/checks')).toBe(before - 1)
  })

  it('keeps what it no longer has, if asked to', async () => {
    change(removable)
    expect((await run(['deploy', '--force'])).code).toBe(0)
    const before = await count('/v1/checks')
    leaveOut()
    expect((await run(['deploy', '--force', '--preserve-resources'])).code).toBe(0)
    expect(await count('/v1/checks')).toBe(before)
  })

  it('shows what is wrong, with the file', async () => {
    change(removable.replace('request:', 'frequency: 7, request:'))
    const { code, output } = await run(['deploy', '--force'])
    expect(code).toBe(1)
    expect(output).toContain('check removable')
    leaveOut()
  })

  it('destroys the project', async () => {
    const { code, output } = await run(['destroy', '--force'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('successfully deleted'),
    })
    // The one that was kept.
    expect(await count('/v1/checks')).toBe(1)
    expect((await run(['destroy', '--force'])).code).toBe(0)
  })

  it('imports what people have made in the app', async () => {
    const make = async (path: string, body: object) => {
      const response = await account.fetch(path, { method: 'POST', body: JSON.stringify(body) })
      expect(response.status).toBeLessThan(300)
      return Object(await response.json())
    }
    const group = await make('/v2/check-groups', { name: 'By hand', locations: ['eu-west-1'] })
    await make('/v1/private-locations', { name: 'Cellar', slugName: 'cellar', icon: 'home' })
    await make('/v1/checks/api', {
      ...{ name: 'Orders by hand', groupId: group.id, locations: ['eu-west-1'] },
      ...{ privateLocations: ['cellar'], request: { method: 'GET', url: 'https://example.com/orders' } },
    })
    await make('/v1/alert-channels', { type: 'EMAIL', config: { address: 'hand@example.com' } })
    folder = cli.project('imported', {
      'checkly.config.ts': `import { defineConfig } from 'checkly'
export default defineConfig({ projectName: 'Imported', logicalId: 'imported', checks: { checkMatch: 'gen/**/*.check.ts' } })
`,
      'package.json': JSON.stringify({ name: 'imported', private: true }),
    })
    // Its own prompts offer to apply and commit.
    const prompts = ['init', 'all', 'later', 'later', 'later']
    const plan = await run(['import', 'plan', '--root', 'gen'], prompts)
    expect(plan).toMatchObject({ code: 0 })
    const plans = async (query: string) => {
      const response = await account.fetch(`/next/projects/imported/imports?${query}`)
      return Object(await response.json()).length
    }
    expect(await plans('')).toBe(1)
    for (const step of ['apply', 'commit'])
      expect(await run(['import', step], [true])).toMatchObject({ code: 0 })
    expect(await plans('onlyUncommitted=true')).toBe(0)
    const preview = await run(['deploy', '--preview'])
    expect(preview).toMatchObject({ code: 0, output: expect.stringContaining('Update and Unchanged:') })
    expect(preview.output).not.toMatch(/^(Create|Delete):/m)
  })
})
