// The environment that the chart gives to its containers, with the real programs: migration, server, agent, probes, metrics.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgentKey, operate, type Program, startAgent, startServer, until } from '../../drills/fleet.ts'
import { freePort } from '../../free-port.ts'
import { onNewDatabase } from '../../new-database.ts'
import { buildRenderer, environmentOf, type KubernetesObject, podsOf } from './render-chart.ts'

const home = mkdtempSync(join(tmpdir(), 'vedette-chart-product-'))
const token = 'the-token-of-the-metrics'
const seen: { migrated: string; statuses: Record<string, number>; metrics: string } = {
  migrated: '',
  statuses: {},
  metrics: '',
}

const containerOf = (objects: KubernetesObject[], name: string): KubernetesObject =>
  podsOf(objects.filter(({ metadata }) => metadata.name === name))[0]?.spec.containers[0]

beforeAll(async () => {
  const renderer = await buildRenderer()
  const { objects } = await renderer.render('monitored.yaml').finally(() => renderer.remove())
  await onNewDatabase(async (databaseUrl) => {
    const secrets = {
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'the secret key of the chart',
      METRICS_TOKEN: token,
      S3_ACCESS_KEY_ID: 'an-id',
      S3_SECRET_ACCESS_KEY: 'a-secret',
    }
    // Containers have ports and directories of their own.
    const [port, healthPort] = [await freePort(), await freePort()]
    const job = containerOf(objects, 'monitoring-vedette-migration')
    const own = { PORT: String(port), DATA_DIR: join(home, 'server') }
    seen.migrated = await operate(job.command.slice(1), {
      ...environmentOf(job, secrets),
      DATA_DIR: own.DATA_DIR,
    })
    const server = containerOf(objects, 'monitoring-vedette-server')
    const environment = { ...environmentOf(server, secrets), ...own }
    const running: Program[] = [await startServer(environment)]
    try {
      await probe(server, `http://127.0.0.1:${port}`)
      const agent = containerOf(objects, 'monitoring-vedette-agent-all')
      running.push(
        startAgent({
          ...environmentOf(agent, { API_KEY: await createAgentKey(environment) }),
          SERVER_URL: `http://127.0.0.1:${port}`,
          AGENT_DATA_DIR: join(home, 'agent'),
          AGENT_HEALTH_PORT: String(healthPort),
        }),
      )
      const health = `http://127.0.0.1:${healthPort}`
      await until('the agent is ready', () =>
        fetch(`${health}/-/readiness`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      await probe(agent, health)
      const headers = { authorization: `Bearer ${token}` }
      for (const url of [`http://127.0.0.1:${port}/metrics`, `${health}/metrics`])
        seen.metrics += await (await fetch(url, { headers })).text()
    } finally {
      for (const program of running.reverse()) await program.stop()
    }
  })
}, 300_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function probe(container: KubernetesObject, url: string): Promise<void> {
  for (const kind of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const path = container[kind]?.httpGet.path
    if (path !== undefined) seen.statuses[path] = (await fetch(url + path)).status
  }
}

describe('the containers of the chart', () => {
  it('the job migrates', () => {
    expect(seen.migrated).toMatch(/^Applied: 0001_/)
  })

  it('servers and agents start, and respond to their probes', () => {
    expect(seen.statuses).toEqual({
      '/healthz': 200,
      '/readyz': 200,
      '/-/readiness': 200,
      '/-/liveness': 200,
    })
  })
})

describe('metrics of a running server and agent', () => {
  const deploy = new URL('../../../deploy/', import.meta.url)
  it.each(['prometheus/vedette.rules.yml', 'grafana/vedette.json'])('are all that %s uses', (file) => {
    const served = new Set(
      [...seen.metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    )
    const used = readFileSync(new URL(file, deploy), 'utf8').match(/\b(vedette|process|nodejs)_[a-z0-9_]+/g)
    expect(used?.length).toBeGreaterThan(10)
    expect([...new Set(used)].filter((name) => !served.has(name))).toEqual([])
  })

  it('every panel of the dashboard has a title, a unit, a query and a position of its own', () => {
    const { panels } = JSON.parse(readFileSync(new URL('grafana/vedette.json', deploy), 'utf8'))
    const positions = new Set<string>()
    const ids = new Set<number>()
    for (const { id, type, title, gridPos, targets, fieldConfig } of panels) {
      expect(title).toMatch(/^[A-Z]/)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      ids.add(id)
      positions.add(`${gridPos.x} ${gridPos.y}`)
      if (type === 'row') continue
      expect(fieldConfig.defaults.unit).toBeTypeOf('string')
      expect(targets.length).toBeGreaterThan(0)
    }
    expect([ids.size, positions.size]).toEqual([panels.length, panels.length])
  })
})
