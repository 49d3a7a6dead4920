// Commands that read and change what is in the account.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createApiCheck,
  createStatusPage,
  createStatusPageService,
  listErrorGroupsOfCheck,
} from '@vedette/contracts'
import { expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import type { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import type { PublishedCli } from './published-cli.ts'

interface Stage {
  cli: PublishedCli
  shop: string
  site: Site
  version: string
}

export function reading(scene: Scene, stage: () => Stage): void {
  const run = (...words: string[]) => stage().cli.run(stage().shop, words)
  const succeeds = async (...words: string[]) => {
    const { code, output } = await run(...words)
    expect(code, `${words.join(' ')}\n${output}`).toBe(0)
    return output
  }

  it('who is who: whoami, members, account', async () => {
    expect(await succeeds('whoami')).toContain(scene.account.id)
    expect(await succeeds('members')).toContain('owner@localhost')
    expect(await succeeds('account', 'plan')).toMatch(/Self-hosted/i)
  })

  it('members: change a role and remove someone', async () => {
    const email = `guest-${stage().version}@example.com`
    const invited = await scene.account.fetch('/v1/accounts/me/invites', {
      method: 'POST',
      body: JSON.stringify({ email, role: 'READ_ONLY' }),
    })
    const { link }: { link: string } = JSON.parse(await invited.text())
    const accepted = await fetch(`${scene.account.baseUrl}/v1/invitations/${link.split('#').at(-1)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Guest', password: 'correct horse battery staple' }),
    })
    expect(accepted.status).toBeLessThan(300)
    await succeeds('members', 'update', email, '--role', 'read_run', '--force')
    expect(await succeeds('members', '--output', 'json')).toMatch(/"READ_RUN"/)
    await succeeds('members', 'delete', email, '--force')
    expect(await succeeds('members')).not.toContain(email)
    const again = await run('members', 'delete', email, '--force')
    expect(again.code, again.output).toBe(1)
  })

  it('usage: terms, summary and series, by 9.x only', async () => {
    const { version } = stage()
    if (!version.startsWith('9.')) {
      expect((await run('account', 'usage', 'terms')).code).not.toBe(0)
      return
    }
    const terms = await succeeds('account', 'usage', 'terms')
    expect(terms).toContain(scene.account.id)
    expect(terms).toMatch(/Credit budget:\s+-/)
    const summary = JSON.parse(await succeeds('account', 'usage', 'summary', '--output', 'json'))
    expect(summary).toMatchObject({ usageTermsId: scene.account.id, totals: { credits: { used: null } } })
    expect(await succeeds('account', 'usage', 'summary')).toMatch(/Total runs:\s+\d+/)
    const words = ['account', 'usage', 'series', '--interval', 'month', '--group-by', 'account,checkType']
    expect(await succeeds(...words)).toMatch(/API\s+[1-9]|No usage rows/)
    const before = await run('account', 'usage', 'terms', '--to', '2020-01-01')
    expect([before.code, before.output]).toEqual([1, expect.stringContaining('No usage terms cover')])
  })

  it('runtimes, without a key', async () => {
    const { cli, shop } = stage()
    const { code, output } = await cli.run(shop, ['runtimes'], {
      CHECKLY_API_KEY: '',
      CHECKLY_ACCOUNT_ID: '',
    })
    expect(output).toContain('2026.04')
    expect(code, output).toBe(0)
  })

  it('variables: add, list more than ten, update, pull and remove', async () => {
    for (let index = 0; index < 12; index += 1) await succeeds('env', 'add', `KEY_${index}`, `value-${index}`)
    const again = await run('env', 'add', 'KEY_0', 'again')
    expect([again.code, again.output]).toEqual([1, expect.stringMatching(/already exists/i)])
    await succeeds('env', 'update', 'KEY_0', 'changed')
    const listed = await succeeds('env', 'ls')
    expect(listed).toContain('KEY_0=changed')
    expect(listed).toContain('KEY_11=value-11')
    await succeeds('env', 'pull', 'pulled.env', '--force')
    expect(readFileSync(join(stage().shop, 'pulled.env'), 'utf8')).toContain('KEY_11=value-11')
    for (let index = 0; index < 12; index += 1) await succeeds('env', 'rm', `KEY_${index}`, '--force')
    expect(await succeeds('env', 'ls')).not.toContain('KEY_')
    expect((await run('env', 'update', 'KEY_0', 'gone')).code).toBe(1)
  })

  it('checks: list, get, stats, run and delete', async () => {
    const { site, version } = stage()
    const name = `Read by ${version}`
    const check = await scene.account.call(createApiCheck, {
      body: {
        ...{
          ...onDemandOnly,
          name,
          locations: ['eu-west-1'],
          tags: [`read-${version}`],
          retryStrategy: null,
        },
        request: { method: 'GET', url: site.url('/missing'), assertions: [isFound] },
      },
    })
    expect(await succeeds('checks', 'list', '--search', name)).toContain(name)
    const ran = await run('checks', 'run', '--check-id', check.id)
    expect(ran.output).toMatch(/failed/i)
    const shown = await succeeds('checks', 'get', check.id)
    expect(shown).toContain(name)
    expect(shown).toMatch(/fail/i)
    const [group] = await until('the error group', async () => {
      const groups = await scene.account.call(listErrorGroupsOfCheck, { params: { checkId: check.id } })
      return groups.length > 0 && groups
    })
    const analyzed = await succeeds(
      'rca',
      'run',
      '--error-group',
      group?.id ?? '',
      '--watch',
      '--output',
      'json',
    )
    const [, analysisId = ''] = /"id": "([0-9a-f-]{36})"/.exec(analyzed) ?? []
    // With JSON, some releases don't wait for the analysis.
    await until('the analysis', async () => /404/.test(await succeeds('rca', 'get', analysisId)))
    expect(await succeeds('checks', 'stats', check.id)).toContain(name)
    await succeeds('checks', 'delete', check.id, '--force')
    expect((await run('checks', 'get', check.id)).code).toBe(1)
  })

  it('test sessions and their files', async () => {
    const { cli, shop } = stage()
    const tested = await cli.run(shop, ['test', '--tags', 'missing'])
    const [, id = ''] = /Test session ID: (\S+)/.exec(tested.output) ?? []
    expect(await succeeds('test-sessions', 'list')).toContain('Shop')
    expect(await succeeds('test-sessions', 'get', id)).toContain('Missing')
    const [, resultId = ''] =
      /"testSessionResultId": "([^"]+)"/.exec(
        await succeeds('test-sessions', 'get', id, '--output', 'json'),
      ) ?? []
    expect(await succeeds('test-sessions', 'get', id, '--result', resultId)).toContain('404')
    const listed = await succeeds('assets', 'list', '--test-session-id', id, '--result-id', resultId)
    expect(listed).toContain('check-run-data.json')
    await succeeds(
      'assets',
      'download',
      '--test-session-id',
      id,
      '--result-id',
      resultId,
      '--asset',
      'check-run-data.json',
      '--dir',
      'downloaded',
    )
  })

  it('status pages and incidents', async () => {
    const { version } = stage()
    const service = await scene.account.call(createStatusPageService, { body: { name: 'Shop' } })
    const url = `shop-${version.replaceAll('.', '-')}`
    const page = await scene.account.call(createStatusPage, {
      body: { name: 'Shop', url, cards: [{ name: 'All', services: [{ id: service.id }] }] },
    })
    expect(await succeeds('status-pages', 'list')).toContain(url)
    expect(await succeeds('status-pages', 'get', page.id)).toContain('Shop')
    const created = await succeeds(
      ...['incidents', 'create', '--status-page-id', page.id, '--title', 'Down', '--severity', 'major'],
      ...['--message', 'We look into it', '--services', service.id, '--force', '--output', 'json'],
    )
    const [, incidentId = ''] = /"id": "([0-9a-f-]{36})"/.exec(created) ?? []
    await succeeds(
      'incidents',
      'update',
      incidentId,
      '--message',
      'Found it',
      '--status',
      'identified',
      '--force',
    )
    expect(await succeeds('incidents', 'list')).toContain('Down')
    await succeeds('incidents', 'resolve', incidentId, '--message', 'Done', '--force')
  })

  it('alert channels', async () => {
    const response = await scene.account.fetch('/v1/alert-channels', {
      method: 'POST',
      body: JSON.stringify({ type: 'EMAIL', config: { address: 'ops@example.com' } }),
    })
    const { id }: { id: number } = JSON.parse(await response.text())
    expect(await succeeds('alert-channels', 'list')).toContain('ops@example.com')
    expect(await succeeds('alert-channels', 'get', String(id))).toContain('ops@example.com')
    await succeeds('alert-channels', 'logs', String(id))
  })
}

const isFound = {
  source: 'STATUS_CODE' as const,
  comparison: 'EQUALS' as const,
  target: '200',
  property: '',
  regex: null,
}
