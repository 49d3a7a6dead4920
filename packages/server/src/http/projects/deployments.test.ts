import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { reapDeployments } from '../../storage/projects/project-deployments.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import {
  awaitDeployment,
  deploy,
  member,
  type SampleResource,
  sampleProject,
  urlCheck,
} from '../../testing/sample-project.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const only = (logicalId: string, ...resources: SampleResource[]) => ({
  project: { logicalId, name: logicalId },
  sharedFiles: [],
  resources,
})

const Upload = z.object({ key: z.string() })

interface Change {
  type: string
  logicalId: string
  physicalId?: string | number
  action: string
}

const actions = (diff: Change[]) => [...new Set(diff.map(({ action }) => action))]
const idOf = (diff: Change[], logicalId: string) =>
  diff.find((one) => one.logicalId === logicalId)?.physicalId

describe('a project with resources of all types', () => {
  const project = sampleProject('everything')

  it('previews without a write', async () => {
    const { status, body } = await api.alice.post('/v1/projects/deploy?dryRun=true', project)
    expect(status).toBe(200)
    expect(body.diff).toHaveLength(project.resources.length)
    expect(actions(body.diff)).toEqual(['CREATE'])
    expect(body.diff.every(({ physicalId }: Change) => physicalId === undefined)).toBe(true)
    expect((await api.alice.get('/next/projects/everything')).status).toBe(404)
    expect((await api.alice.get('/v1/checks')).body).toEqual([])
  })

  it('creates all of them, then changes none', async () => {
    const first = await deploy(api.alice, project)
    expect(first).toMatchObject({ status: 'SUCCEEDED', progress: 100, error: null })
    expect(actions(first.result.diff)).toEqual(['CREATE'])
    const { body: check } = await api.alice.get(`/v1/checks/${idOf(first.result.diff, 'api')}`)
    expect(check).toMatchObject({ name: 'API', frequency: 0, frequencyOffset: 10, runParallel: true })
    const before = await snapshot()
    const second = await deploy(api.alice, project)
    expect(second.status).toBe('SUCCEEDED')
    expect(actions(second.result.diff)).toEqual(['UPDATE'])
    expect(second.result.diff.map(({ physicalId }: Change) => physicalId)).toEqual(
      first.result.diff.map(({ physicalId }: Change) => physicalId),
    )
    expect(await snapshot()).toEqual(before)
    expect((await api.alice.get('/next/projects/everything')).body).toMatchObject({
      resourceCount: project.resources.length,
    })
  })

  it('stores no secret in clear', async () => {
    const { rows } = await api.store.pool.query(`
      select to_jsonb(d)::text as text from project_deployments d union all
      select to_jsonb(r)::text from project_resources r union all
      select to_jsonb(c)::text from checks c union all
      select to_jsonb(g)::text from check_groups g union all
      select to_jsonb(a)::text from alert_channels a`)
    expect(rows.length).toBeGreaterThan(10)
    for (const { text } of rows) expect(text).not.toMatch(/a (group|header|check|hook) secret|a password/)
  })

  it('is deleted with all of its resources', async () => {
    const { status, body } = await api.alice.delete('/v1/projects/everything')
    expect(status).toBe(202)
    const path = `/v1/projects/everything/deployments/${body.id}/completion?maxWaitSeconds=30`
    const { body: over } = await api.alice.get(path)
    expect(over).toMatchObject({ status: 'SUCCEEDED', error: null })
    expect(actions(over.result.diff)).toEqual(['DELETE'])
    for (const table of ['projects', 'project_resources', ...tables]) {
      const { rows } = await api.store.pool.query(`select count(*)::int as count from ${table}`)
      expect({ table, ...rows[0] }).toEqual({ table, count: 0 })
    }
    expect((await api.alice.delete('/v1/projects/everything')).status).toBe(200)
  })
})

const tables = [
  'checks',
  'check_groups',
  'alert_channels',
  'alert_channel_subscriptions',
  'dashboards',
  'status_pages',
  'status_page_components',
  'status_page_automation_rules',
  'status_page_services',
  'maintenance_windows',
  'private_locations',
]

async function snapshot() {
  const rows = await Promise.all(
    [...tables, 'project_resources'].map((table) =>
      api.store.pool.query(`select to_jsonb(t) as row, xmin::text from ${table} t order by 1`),
    ),
  )
  return rows.map((result) => result.rows)
}

describe.concurrent('a second deployment', () => {
  it('replaces: what is left out gets its default, and ids stay', async () => {
    const full = urlCheck('home', { tags: ['a'], frequency: 5, description: 'text', frequencyOffset: 7 })
    const first = await deploy(api.alice, only('replaces', full))
    const second = await deploy(api.alice, only('replaces', urlCheck('home')))
    const id = idOf(first.result.diff, 'home')
    expect(idOf(second.result.diff, 'home')).toBe(id)
    const { body } = await api.alice.get(`/v1/checks/${id}`)
    expect(body).toMatchObject({ tags: [], frequency: 10, description: null })
    expect(body.frequencyOffset).toBeUndefined()
  })

  it('overwrites what people have edited since', async () => {
    const project = only('edited', urlCheck('home'))
    const { result } = await deploy(api.alice, project)
    const path = `/v1/checks/url/${idOf(result.diff, 'home')}`
    await api.alice.put(path, { name: 'By hand', mutedUntil: new Date(Date.now() + 60_000).toISOString() })
    await deploy(api.alice, project)
    const { body } = await api.alice.get(path.replace('/url', ''))
    expect(body).toMatchObject({ name: 'home', mutedUntil: expect.any(String) })
  })

  it('creates again what people have deleted', async () => {
    const project = only('deleted', urlCheck('home'))
    const { result } = await deploy(api.alice, project)
    await api.alice.delete(`/v1/checks/${idOf(result.diff, 'home')}`)
    const again = await deploy(api.alice, project)
    expect(again.result.diff).toMatchObject([{ logicalId: 'home', action: 'CREATE' }])
  })

  it('replaces a check whose type changes', async () => {
    const { result } = await deploy(api.alice, only('types', urlCheck('home')))
    const tcp = { checkType: 'TCP', request: { hostname: 'example.com', port: 443 } }
    const changed = await deploy(api.alice, only('types', urlCheck('home', tcp)))
    const id = idOf(changed.result.diff, 'home')
    expect(changed.result.diff).toHaveLength(1)
    expect(id).not.toBe(idOf(result.diff, 'home'))
    expect((await api.alice.get(`/v1/checks/${id}`)).body).toMatchObject({ checkType: 'TCP' })
    expect((await api.alice.get(`/v1/checks/${idOf(result.diff, 'home')}`)).status).toBe(404)
  })

  it('deletes what is left out, or keeps it outside of the project', async () => {
    const { result } = await deploy(api.alice, only('leaves', urlCheck('a'), urlCheck('b'), urlCheck('c')))
    const kept = await deploy(
      api.alice,
      only('leaves', urlCheck('a'), urlCheck('b')),
      'preserveResources=true',
    )
    expect(kept.result.diff).toContainEqual(
      expect.objectContaining({ logicalId: 'c', physicalId: idOf(result.diff, 'c'), action: 'DETACHED' }),
    )
    const deleted = await deploy(api.alice, only('leaves', urlCheck('a')))
    expect(deleted.result.diff.map(({ logicalId, action }: Change) => [logicalId, action])).toEqual([
      ['a', 'UPDATE'],
      ['b', 'DELETE'],
    ])
    const statuses = await Promise.all(
      ['a', 'b', 'c'].map((name) => api.alice.get(`/v1/checks/${idOf(result.diff, name)}`)),
    )
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 200])
  })

  it('touches only its own subscriptions, and takes over those made by hand', async () => {
    const { body: byHand } = await api.alice.post('/v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'hand@example.com' },
    })
    const channel = member('alert-channel', 'mail', { type: 'EMAIL', config: { address: 'b@example.com' } })
    const subscription = member('alert-channel-subscription', 'sub', {
      alertChannelId: { ref: 'mail' },
      checkId: { ref: 'home' },
      activated: true,
    })
    const whole = only('subscriptions', urlCheck('home'), channel)
    const { result } = await deploy(api.alice, whole)
    const [checkId, channelId] = [idOf(result.diff, 'home'), idOf(result.diff, 'mail')]
    for (const id of [byHand.id, channelId])
      await api.alice.put(`/v1/alert-channels/${id}/subscriptions`, { checkId, activated: false })
    await deploy(api.alice, only('subscriptions', urlCheck('home'), channel, subscription))
    const read = async () => (await api.alice.get(`/v1/checks/${checkId}`)).body.alertChannelSubscriptions
    expect(await read()).toEqual([
      { alertChannelId: byHand.id, activated: false },
      { alertChannelId: channelId, activated: true },
    ])
    await deploy(api.alice, whole)
    expect(await read()).toEqual([{ alertChannelId: byHand.id, activated: false }])
  })

  it('keeps private locations that people have added', async () => {
    const { body: byHand } = await api.alice.post('/v1/private-locations', {
      name: 'Hand',
      slugName: 'by-hand',
    })
    const office = member('private-location', 'office', { name: 'Office', slugName: 'office-keeps' })
    const assigned = member('private-location-check-assignment', 'assigned', {
      privateLocationId: { ref: 'office' },
      checkId: { ref: 'home' },
    })
    const { result } = await deploy(api.alice, only('locations', urlCheck('home'), office, assigned))
    const path = `/v1/checks/${idOf(result.diff, 'home')}`
    const read = async () => (await api.alice.get(path)).body.privateLocations
    expect(await read()).toEqual(['office-keeps'])
    await api.alice.put(path, { privateLocations: ['office-keeps', byHand.slugName] })
    await deploy(api.alice, only('locations', urlCheck('home', { tags: ['x'] }), office, assigned))
    expect(await read()).toEqual(['by-hand', 'office-keeps'])
    await deploy(api.alice, only('locations', urlCheck('home'), office))
    expect(await read()).toEqual(['by-hand'])
  })

  it('fails as a whole if a group is still used outside of the project', async () => {
    const group = member('check-group', 'group', { name: 'Group', locations: ['eu-west-1'], v: 2 })
    const { result } = await deploy(api.alice, only('guard', urlCheck('a'), group))
    const groupId = idOf(result.diff, 'group')
    const outside = { name: 'x', groupId, locations: ['eu-west-1'], request: { url: 'https://example.com' } }
    await api.alice.post('/v1/checks/url', outside)
    const failed = await deploy(api.alice, only('guard'))
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: {
        statusCode: 409,
        message: 'check-group group (__checks__/group.check.ts): The group still has checks.',
      },
      result: null,
    })
    expect((await api.alice.get(`/v1/checks/${idOf(result.diff, 'a')}`)).status).toBe(200)
  })

  it('uses addresses of what it deletes again', async () => {
    const page = (logicalId: string) =>
      member('status-page', logicalId, { name: 'P', url: 'moved-page', version: 3 })
    await deploy(api.alice, only('moves', page('before')))
    expect(await deploy(api.alice, only('moves', page('after')))).toMatchObject({ status: 'SUCCEEDED' })
  })
})

describe.concurrent('references and errors', () => {
  it('names the resource and its file', async () => {
    const wrong = urlCheck('broken', { groupId: { ref: 'nowhere' } })
    const { status, body } = await api.alice.post('/v1/projects/deploy', only('errors', wrong))
    expect(status).toBe(400)
    expect(body.message).toBe(
      '"check broken (__checks__/broken.check.ts).groupId" refers to the check-group "nowhere", which isn\'t part of the deployment',
    )
    const circle = ['a', 'b'].map((name) =>
      member('status-page-component', name, {
        statusPageId: { ref: 'page' },
        parentId: { ref: name === 'a' ? 'b' : 'a' },
        type: 'GROUP',
        name,
      }),
    )
    const page = member('status-page', 'page', { name: 'P', url: 'circle-page', version: 3 })
    const circular = await api.alice.post('/v1/projects/deploy', only('errors', page, ...circle))
    expect(circular.status).toBe(400)
    expect(circular.body.message).toContain('is inside itself: a → b → a')
    const twice = await api.alice.post('/v1/projects/deploy', only('errors', urlCheck('x'), urlCheck('x')))
    expect(twice.body.message).toBe('"check x (__checks__/x.check.ts)" is listed twice')
    expect((await api.alice.get('/next/projects/errors')).status).toBe(404)
  })

  it('refers to resources of the account, not of others', async () => {
    const { body: group } = await api.bob.post('/v2/check-groups', {
      name: "Bob's",
      locations: ['eu-west-1'],
    })
    const reference = {
      type: 'check-group',
      logicalId: `check-group-${group.id}`,
      physicalId: group.id,
      member: false,
      payload: null,
    }
    const grouped = urlCheck('home', { groupId: { ref: reference.logicalId } })
    const refused = await api.alice.post('/v1/projects/deploy', only('others', reference, grouped))
    expect(refused.status).toBe(400)
    expect(refused.body.message).toContain("doesn't exist in this account")
    const { result } = await deploy(api.bob, only('others', reference, grouped))
    expect(result.diff).toHaveLength(1)
    const { body } = await api.bob.get(`/v1/checks/${result.diff[0].physicalId}`)
    expect(body.groupId).toBe(group.id)
    // Projects of two accounts may have the same logical id.
    expect((await api.alice.get('/next/projects/others')).status).toBe(404)
    expect((await api.alice.delete('/v1/projects/others')).body.diff).toEqual([])
    expect((await api.bob.get('/next/projects/others')).status).toBe(200)
  })

  it('needs snapshots of the same account', async () => {
    const upload = await fetch(`${api.url}/next/checkly-storage/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.bob.key}`, 'content-type': 'application/octet-stream' },
      body: 'a picture',
    })
    const { key } = Upload.parse(await upload.json())
    const browser = member('check', 'browser', {
      name: 'B',
      checkType: 'BROWSER',
      locations: ['eu-west-1'],
      script: 'await 1',
      snapshots: [{ key, path: 'home.png' }],
    })
    expect(await deploy(api.alice, only('snapshots', browser))).toMatchObject({
      status: 'FAILED',
      error: { message: expect.stringContaining('snapshots.0.key" does not exist') },
    })
    expect(await deploy(api.bob, only('snapshots', browser))).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('needs a key with the role ADMIN for private locations', async () => {
    const writer = await api.as('READ_WRITE')
    const office = member('private-location', 'office', { name: 'Office', slugName: 'office-roles' })
    expect(await deploy(writer, only('roles', office))).toMatchObject({
      status: 'FAILED',
      error: { statusCode: 403, message: expect.stringContaining('role ADMIN') },
    })
    expect((await api.alice.get('/next/projects/roles')).status).toBe(404)
  })
})

describe('a deployment in progress', () => {
  /** Holds the row of the project, so that the deployment can't end. */
  async function whileHeld<T>(logicalId: string, work: () => Promise<T>): Promise<T> {
    const client = await api.store.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from projects where logical_id = $1 for update', [logicalId])
      return await work()
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  it('refuses another one, and names itself', async () => {
    const project = only('busy', urlCheck('home'))
    await deploy(api.alice, project)
    const id = await whileHeld('busy', async () => {
      const { body } = await api.alice.post('/v1/projects/deploy', project)
      const second = await api.alice.post('/v1/projects/deploy', project)
      expect(second.status).toBe(409)
      expect(second.body).toMatchObject({ statusCode: 409, error: 'Conflict', deploymentId: body.id })
      expect((await api.alice.delete('/v1/projects/busy')).body.deploymentId).toBe(body.id)
      // Of another account, and of another project.
      expect((await api.bob.post('/v1/projects/deploy', project)).status).toBe(202)
      const wait = `/v1/projects/busy/deployments/${body.id}/completion?maxWaitSeconds=1`
      expect((await api.alice.get(wait)).status).toBe(408)
      return body.id
    })
    expect(await awaitDeployment(api.alice, 'busy', id)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('is canceled without a change', async () => {
    await deploy(api.alice, only('canceled', urlCheck('home')))
    const id = await whileHeld('canceled', async () => {
      const { body } = await api.alice.post('/v1/projects/deploy', only('canceled', urlCheck('other')))
      const canceled = await api.alice.post(`/v1/projects/canceled/deployments/${body.id}/cancel`)
      expect(canceled.status).toBe(202)
      expect(canceled.body.cancelRequestedAt).not.toBeNull()
      return body.id
    })
    expect(await awaitDeployment(api.alice, 'canceled', id)).toMatchObject({
      status: 'CANCELLED',
      result: null,
    })
    const preview = await api.alice.post(
      '/v1/projects/deploy?dryRun=true',
      only('canceled', urlCheck('home')),
    )
    expect(preview.body.diff).toMatchObject([{ logicalId: 'home', action: 'UPDATE' }])
  })

  it('is over when its server was stopped, and commits nothing later', async () => {
    await deploy(api.alice, only('reaped', urlCheck('home')))
    const id = await whileHeld('reaped', async () => {
      const { body } = await api.alice.post('/v1/projects/deploy', only('reaped', urlCheck('other')))
      const deployment = () => api.alice.get(`/v1/projects/reaped/deployments/${body.id}`)
      await expect.poll(async () => (await deployment()).body.status).toBe('RUNNING')
      await api.store.pool.query(
        "update project_deployments set lease_until = now() - interval '1 s' where id = $1",
        [body.id],
      )
      await reapDeployments(api.store.db)
      return body.id
    })
    const over = await awaitDeployment(api.alice, 'reaped', id)
    expect(over).toMatchObject({
      status: 'FAILED',
      error: { message: expect.stringContaining('was stopped') },
    })
    const again = await deploy(api.alice, only('reaped', urlCheck('home')))
    expect(again.result.diff).toMatchObject([{ logicalId: 'home', action: 'UPDATE' }])
    expect(again.result.diff).toHaveLength(1)
  })

  it('can be followed, also after its end', async () => {
    const { body } = await api.alice.post('/v1/projects/deploy', only('followed', urlCheck('home')))
    const path = `/v1/projects/followed/deployments/${body.id}`
    const headers = { authorization: `Bearer ${api.alice.key}`, accept: 'text/event-stream' }
    for (const _ of ['while it runs', 'when it is over']) {
      const response = await fetch(`${api.url}${path}/events`, { headers })
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      const frames = (await response.text()).split('\n\n').filter((frame) => frame.includes('event: '))
      const last = frames.at(-1) ?? ''
      expect(last).toMatch(/^event: complete\ndata: \{/)
      expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ id: body.id, status: 'SUCCEEDED' })
    }
    expect((await api.alice.get(path)).body).toMatchObject({ status: 'SUCCEEDED', progress: 100 })
    expect((await api.bob.get(path)).status).toBe(404)
    expect((await api.bob.post(`${path}/cancel`)).status).toBe(404)
  })
})

describe('after a deployment', () => {
  it('reads name the project, and whether someone edited the resource', async () => {
    const group = member('check-group', 'group', { name: 'Group', locations: ['eu-west-1'], v: 2 })
    const channel = member('alert-channel', 'mail', { type: 'EMAIL', config: { address: 'a@example.com' } })
    const page = member('status-page', 'page', { name: 'P', url: 'read-page', version: 3 })
    const dashboard = member('dashboard', 'dash', { header: 'D', customUrl: 'read-dashboard' })
    const service = member('status-page-service', 'service', { name: 'Shop' })
    const statusPageId = { ref: 'page' }
    const component = member('status-page-component', 'component', {
      ...{ statusPageId, serviceId: { ref: 'service' }, parentId: null, type: 'SERVICE', name: 'Shop' },
      ...{ displayOrder: 0, configuration: { showHistoricalData: true } },
    })
    const rule = member('status-page-automation-rule', 'rule', {
      ...{ statusPageId, name: 'Rule', enabled: true, tags: ['prod'], notifySubscribers: true },
      ...{ firstUpdate: 'We look', lastUpdate: 'Done', coolDownWindowMinutes: 5 },
      components: [{ componentId: { ref: 'component' }, targetImpact: 'MAJOR_OUTAGE' }],
    })
    const window = member('maintenance-window', 'window', {
      ...{ name: 'Window', tags: ['prod'] },
      ...{ startsAt: '2030-01-01T00:00:00.000Z', endsAt: '2030-01-01T01:00:00.000Z' },
    })
    const location = member('private-location', 'cellar', {
      ...{ name: 'Cellar', slugName: 'read-cellar', icon: 'home' },
    })
    const project = only(
      ...(['reads', urlCheck('home'), group, channel, page, dashboard] as const),
      ...[service, component, rule, window, location],
    )
    const { result } = await deploy(api.alice, project)
    const { body: row } = await api.alice.get('/v1/dashboards')
    const dashboardId = row.find(({ id }: { id: number }) => id === idOf(result.diff, 'dash')).dashboardId
    const reads: [string, string, string, object][] = [
      ['home', `/v1/checks/${idOf(result.diff, 'home')}`, 'PUT', { name: 'x' }],
      ['group', `/v1/check-groups/${idOf(result.diff, 'group')}`, 'PUT', { name: 'x' }],
      [
        'mail',
        `/v1/alert-channels/${idOf(result.diff, 'mail')}`,
        'PUT',
        { ...channel.payload, sslExpiry: true },
      ],
      ['page', `/v1/status-pages/${idOf(result.diff, 'page')}`, 'PUT', { ...page.payload, name: 'x' }],
      ['dash', `/v1/dashboards/${dashboardId}`, 'PUT', { header: 'x' }],
      ['service', `/v1/status-pages/services/${idOf(result.diff, 'service')}`, 'PUT', { name: 'x' }],
      [
        'component',
        `/v1/status-pages/${idOf(result.diff, 'page')}/components/${idOf(result.diff, 'component')}`,
        'PUT',
        { description: 'x' },
      ],
      [
        'rule',
        `/v1/status-pages/${idOf(result.diff, 'page')}/automation-rules/${idOf(result.diff, 'rule')}`,
        'PUT',
        { name: 'x' },
      ],
      [
        'window',
        `/v1/maintenance-windows/${idOf(result.diff, 'window')}`,
        'PUT',
        { ...window.payload, name: 'x' },
      ],
      ['cellar', `/v1/private-locations/${idOf(result.diff, 'cellar')}`, 'PUT', { name: 'x' }],
    ]
    for (const [logicalId, path, method, change] of reads) {
      const { body } = await api.alice.get(path)
      expect(body).toMatchObject({
        ...{ project: { logicalId: 'reads', name: 'reads' }, logicalId, drifted: false },
        projectBindings: { owner: { binding: { logicalId, pending: false } }, references: [] },
      })
      expect((await api.alice.send(method, path, change)).status).toBe(200)
      expect((await api.alice.get(path)).body.drifted, logicalId).toBe(true)
    }
    await deploy(api.alice, project)
    for (const [, path] of reads) expect((await api.alice.get(path)).body.drifted).toBe(false)
    for (const path of ['/v1/maintenance-windows', '/v1/private-locations', '/v1/alert-channels']) {
      const { body } = await api.alice.get(path)
      const names = body.map(({ project: owner }: { project?: { name: string } }) => owner?.name)
      expect(names, path).toContain('reads')
    }
  })

  it('runs checks that were created or changed once', async () => {
    const project = only('runs', urlCheck('runs now'), urlCheck('off', { activated: false }))
    await deploy(api.alice, project, 'scheduleOnDeploy=true')
    const sessions = async () => {
      const { rows } = await api.store.pool.query(
        `select name, run_source from check_sessions where run_source = 'CLI_DEPLOY' and name in ('runs now', 'off')`,
      )
      return rows
    }
    expect(await sessions()).toEqual([{ name: 'runs now', run_source: 'CLI_DEPLOY' }])
    await deploy(api.alice, project, 'scheduleOnDeploy=true')
    expect(await sessions()).toHaveLength(1)
  })

  it('leaves a mark of the commit', async () => {
    const repoInfo = { commitId: 'c0ffee', repoUrl: 'https://example.com/repo' }
    await deploy(api.alice, { ...only('marks', urlCheck('home')), repoInfo })
    const { body } = await api.alice.get('/v1/deployments')
    expect(body).toContainEqual(
      expect.objectContaining({
        sha: 'c0ffee',
        repository: 'https://example.com/repo',
        deploymentId: 'marks',
      }),
    )
  })
})
