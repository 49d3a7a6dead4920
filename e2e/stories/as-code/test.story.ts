// The published command-line client tests, triggers and reads checks of a real installation.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateLocation, createUrlMonitor, listTestSessions } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentProcess } from '../../agent-process.ts'
import { onDemandOnly, Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { clients, PublishedCli } from './published-cli.ts'
import { reading } from './reading.ts'
import { shopProject, suiteProject } from './shop-project.ts'

describe('the published command-line client', { timeout: 240_000 }, () => {
  const scene = new Scene()
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
    site.on('/page', { headers: { 'content-type': 'text/html' }, body: '<h1>A shop</h1>' })
    site.on('/missing', { status: 404, body: 'nothing here' })
    site.on('/slow', { delayMs: 300 })
    site.on('/hanging', { fault: 'half-open' })
    await scene.open()
  }, 240_000)
  afterAll(async () => {
    await scene.close()
    await site.shut()
  })

  describe.each(clients)('$version', ({ version, node }) => {
    let cli: PublishedCli
    let shop: string
    const agents: AgentProcess[] = []

    beforeAll(async () => {
      cli = await PublishedCli.install({ version, node }, scene.account)
      shop = cli.project('shop', shopProject(site.url('')))
    }, 240_000)
    afterAll(async () => {
      for (const agent of agents) await agent.remove()
      cli?.remove()
    })

    it('is the release that it should be', async () => {
      const { output } = await cli.run(shop, ['--version'])
      console.log(output.trim())
      expect(output).toContain(`checkly/${version} `)
      const major = node === null ? process.versions.node.split('.')[0] : node.split('.')[0]
      expect(output).toContain(`node-v${major}.`)
    })

    it('runs checks that pass', async () => {
      const before = site.requests.length
      const { code, output } = await cli.run(shop, [
        'test',
        '--tags',
        'quick',
        '--env',
        'WHO=me',
        '--verbose',
      ])
      expect(output).toContain('3 passed, 3 total')
      expect(output).toMatch(/✔ Grouped/)
      expect(output).toContain('Detailed session summary at: http')
      expect(code, output).toBe(0)
      const echoed = site.requests.slice(before).find(({ path }) => path === '/echo')
      expect(echoed).toMatchObject({ query: { who: 'me' }, headers: { 'x-group': 'of the group' } })
    })

    it('runs setup and teardown scripts with the files that they import, tested and deployed', async () => {
      // Once deployed, other checks ask for the same path.
      const signedBy = (since: number) =>
        site.requests
          .slice(since)
          .map(({ headers }) => headers['x-signed'])
          .find((signature) => signature !== undefined)
      const before = site.requests.length
      const tested = await cli.run(shop, ['test', '--tags', 'scripted', '--verbose'])
      expect(tested.output).toContain('1 passed, 1 total')
      expect(tested.output).toContain('signed-teardown')
      expect(tested.code, tested.output).toBe(0)
      expect(signedBy(before)).toBe('signed-42')
      const deployed = await cli.run(shop, ['deploy', '--force'])
      expect(deployed.code, deployed.output).toBe(0)
      const later = site.requests.length
      const triggered = await cli.run(shop, ['trigger', '--tags', 'scripted'])
      expect(triggered.output).toContain('1 passed, 1 total')
      expect(triggered.code, triggered.output).toBe(0)
      expect(signedBy(later)).toBe('signed-42')
      const { entries } = await scene.account.call(listTestSessions, { query: { limit: 1 } })
      expect(entries[0]?.status).toBe('PASSED')
      const again = await cli.run(shop, ['test', '--tags', 'scripted'])
      expect(again.code, again.output).toBe(0)
      const { entries: sessions } = await scene.account.call(listTestSessions, { query: { limit: 1 } })
      expect(sessions[0]?.project).toMatchObject({ logicalId: 'shop', name: 'Shop' })
      expect((await cli.run(shop, ['destroy', '--force'])).code).toBe(0)
    })

    it('shows why a check fails, and exits with 1', async () => {
      const { code, output } = await cli.run(shop, ['test', '--tags', 'missing'])
      expect(output).toContain('Status Code: 404 Not Found')
      expect(output).toContain('nothing here')
      expect(output).toContain('status code equals target "200". Received: 404.')
      expect(output).toContain('1 failed, 1 total')
      expect(output).toMatch(/View result: http\S+\/r\//)
      expect(code, output).toBe(1)
    })

    it('shows a check that is degraded, and exits with 0', async () => {
      const { code, output } = await cli.run(shop, ['test', '--tags', 'slow'])
      expect(output).toContain('1 degraded, 1 total')
      expect(code, output).toBe(0)
    })

    it('retries a check that fails', async () => {
      site.on('/flaky', { status: 500 }, { status: 200 })
      const { code, output } = await cli.run(shop, ['test', '--tags', 'flaky', '--retries', '1'])
      expect(output).toContain('1 retrying')
      expect(output).toContain('1 passed, 1 total')
      expect(code, output).toBe(0)
    })

    it('runs browser checks with the files and the modules that they import', async () => {
      const { code, output } = await cli.run(shop, ['test', '--grep', 'home.spec'])
      expect(output).toContain('1 passed, 1 total')
      expect(code, output).toBe(0)
      expect(site.requests.some(({ path }) => path === '/page')).toBe(true)
    })

    it('takes screenshots, and compares with them', async () => {
      const path = '__checks__/visual.spec.ts-snapshots/page-chromium-linux.png'
      const look = (color: string) =>
        site.on('/visual', { headers: { 'content-type': 'text/html' }, body: `<body bgcolor="${color}">` })
      look('red')
      const taken = await cli.run(shop, ['test', '--grep', 'visual.spec', '--update-snapshots'])
      expect(taken.code, taken.output).toBe(0)
      expect(readFileSync(join(shop, path)).subarray(1, 4).toString()).toBe('PNG')
      const same = await cli.run(shop, ['test', '--grep', 'visual.spec'])
      expect(same.code, same.output).toBe(0)
      look('blue')
      const other = await cli.run(shop, ['test', '--grep', 'visual.spec'])
      expect(other.output).toContain('toHaveScreenshot')
      expect(other.code).toBe(1)
    })

    it('runs the Playwright tests of a project, and shows their output meanwhile', async () => {
      const suite = await cli.installed('suite', suiteProject(site.url('')))
      const { code, output } = await cli.run(suite, ['pw-test', '--', '--grep', '@smoke'])
      expect(output).toContain('a line of the suite')
      expect(output).toContain('1 passed, 1 total')
      expect(code, output).toBe(0)
    })

    it('runs checks in a private location', async () => {
      const slugName = `office-${version.replaceAll('.', '-')}`
      const location = await scene.account.call(createPrivateLocation, { body: { name: 'Office', slugName } })
      const agent = await AgentProcess.start({
        ...scene.agentSettings,
        API_KEY: location.keys[0]?.rawKey ?? '',
        SERVER_URL: scene.account.baseUrl,
      })
      agents.push(agent)
      const { code, output } = await cli.run(shop, [
        'test',
        '--tags',
        'quick',
        '--private-location',
        slugName,
      ])
      expect(output).toContain('3 passed, 3 total')
      expect(code, output).toBe(0)
      const { entries } = await scene.account.call(listTestSessions, { query: { limit: 1 } })
      expect(entries[0]).toMatchObject({ region: slugName, privateLocationId: location.id, status: 'PASSED' })
    })

    it('does not record, if told so', async () => {
      const count = async () => (await scene.account.call(listTestSessions, { query: { limit: 1 } })).length
      const before = await count()
      const { code, output } = await cli.run(shop, ['test', '--grep', '^Home$', '--no-record'])
      expect(output).toContain('1 passed, 1 total')
      expect(output).not.toContain('Detailed session summary')
      expect(code, output).toBe(0)
      expect(await count()).toBe(before)
    })

    it('leaves a session running, if told so, and can wait for it later', async () => {
      const { code, output } = await cli.run(shop, ['test', '--grep', '^Home$', '--detach'])
      expect(code, output).toBe(0)
      const [, id = ''] = /Test session ID: (\S+)/.exec(output) ?? []
      const watched = await cli.run(shop, ['test-sessions', 'get', id, '--watch'])
      expect(watched.output).toMatch(/passed/i)
      expect(watched.code, watched.output).toBe(0)
    })

    it('cancels its runs on Ctrl-C', async () => {
      const started = cli.start(shop, ['test', '--tags', 'hanging'])
      await started.says('1 running')
      started.interrupt()
      const { code, output } = await started.ended
      expect(output).toContain('1 cancelled')
      // The client counts only failures.
      expect(code, output).toBe(0)
      const { entries } = await scene.account.call(listTestSessions, { query: { limit: 1 } })
      expect(entries[0]?.status).toBe('CANCELLED')
    })

    it('refuses a wrong key before it runs anything', async () => {
      const { code, output } = await cli.run(shop, ['test'], { CHECKLY_API_KEY: 'vu_wrong' })
      expect(output).toContain('Authentication failed')
      expect(code).toBe(1)
    })

    it('says which check is wrong', async () => {
      const { code, output } = await cli.run(shop, ['test', '--grep', '^Home$', '--location', 'mars-1'])
      expect(output).toContain('mars-1')
      expect(code).toBe(1)
    })

    it('triggers checks of the account by their tags', async () => {
      const tag = `trigger-${version}`
      await scene.account.call(createUrlMonitor, {
        body: {
          ...onDemandOnly,
          name: 'Deployed',
          tags: [tag],
          locations: ['eu-west-1'],
          request: { url: site.url('/') },
        },
      })
      const { code, output } = await cli.run(shop, ['trigger', '--tags', tag])
      expect(output).toContain('✔ Deployed')
      expect(output).toContain('1 passed, 1 total')
      expect(code, output).toBe(0)
      const nothing = await cli.run(shop, ['trigger', '--tags', 'nowhere'])
      expect(nothing.output).toContain('No matching checks were found')
      expect(nothing.code).toBe(1)
      const calm = await cli.run(shop, ['trigger', '--tags', 'nowhere', '--fail-on-no-matching=false'])
      expect(calm.output).toContain('No matching checks were found')
      const detached = await cli.run(shop, ['trigger', '--tags', tag, '--detach'])
      expect(detached.code, detached.output).toBe(0)
    })

    describe('reads', () => reading(scene, () => ({ cli, shop, site, version })))
  })
})
