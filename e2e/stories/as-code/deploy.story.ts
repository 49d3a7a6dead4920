import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Account } from '../../account.ts'
import { Installation } from '../../installation.ts'
import { everyConstruct, removable } from './every-construct.ts'
import { PublishedCli, releases } from './published-cli.ts'

describe.each(releases)('checkly $version', { timeout: 600_000 }, (release) => {
  const cli = new PublishedCli(release)
  const major = Number(release.version.split('.')[0])
  let installation: Installation
  let account: Account

  beforeAll(async () => {
    installation = await Installation.create()
    const running = await installation.start({ AGENT: 'off' })
    account = new Account(installation, running)
    await cli.install()
    cli.connect(account)
    cli.write(everyConstruct('every-construct', { target: 'http://127.0.0.1:9', major }))
  }, 300_000)
  afterAll(async () => {
    cli.remove()
    await installation.remove()
  })

  const count = async (path: string) => {
    const response = await account.fetch(path)
    return Number(response.headers.get('content-range')?.split('/')[1])
  }

  it('is exactly this release', async () => {
    const { output } = await cli.run(['--version'])
    console.info(output.trim())
    expect(output).toContain(`checkly/${release.version} `)
    expect(output).toContain(`node-v${major >= 9 ? 24 : 20}.`)
    expect((await cli.run(['whoami'])).code).toBe(0)
  })

  it('previews a project with every construct', async () => {
    const { code, output } = await cli.run(['deploy', '--preview'])
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Create:') })
    expect(output).toContain('ApiCheck: api')
    expect(await count('/v1/checks')).toBe(0)
  })

  it('deploys it', async () => {
    const { code, output } = await cli.run(['deploy', '--force', '--output', '--verbose'])
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
      const checks = z
        .array(z.looseObject({ id: z.string(), updated_at: z.string().nullable() }))
        .parse(await response.json())
      return checks.map(({ id, updated_at }) => [id, updated_at])
    }
    const before = await versions()
    const { code, output } = await cli.run(['deploy', '--force', '--output'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('Update and Unchanged:'),
    })
    expect(output).not.toContain('Create:')
    expect(await versions()).toEqual(before)
  })

  it('asks before it deletes', async () => {
    cli.delete('__checks__/removable.check.ts')
    const before = await count('/v1/checks')
    const refused = await cli.run(['deploy'], { prompts: [true, false] })
    expect(refused.output).toContain('removable')
    expect(await count('/v1/checks')).toBe(before)
    const { code, output } = await cli.run(['deploy', '--force', '--output'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Delete:\s+Check: removable/),
    })
    expect(await count('/v1/checks')).toBe(before - 1)
  })

  it('keeps what it no longer has, if asked to', async () => {
    cli.write({ '__checks__/removable.check.ts': removable })
    expect((await cli.run(['deploy', '--force'])).code).toBe(0)
    const before = await count('/v1/checks')
    cli.delete('__checks__/removable.check.ts')
    expect((await cli.run(['deploy', '--force', '--preserve-resources'])).code).toBe(0)
    expect(await count('/v1/checks')).toBe(before)
  })

  it('shows what is wrong, with the file', async () => {
    cli.write({ '__checks__/removable.check.ts': removable.replace('request:', 'frequency: 7, request:') })
    const { code, output } = await cli.run(['deploy', '--force'])
    expect(code).toBe(1)
    expect(output).toContain('check removable')
    cli.delete('__checks__/removable.check.ts')
  })

  it('destroys the project', async () => {
    const { code, output } = await cli.run(['destroy', '--force'])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('successfully deleted'),
    })
    // The one that was kept.
    expect(await count('/v1/checks')).toBe(1)
    expect((await cli.run(['destroy', '--force'])).code).toBe(0)
  })
})
