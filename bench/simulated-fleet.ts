// Agents of many locations in one process: the agent's own modules, without the runs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedAgents } from '@vedette/agent/simulated'

const { COUNT, SERVER_URLS = '', API_KEY = '', LOCATIONS = '' } = process.env
const count = Number(COUNT)
const servers = SERVER_URLS.split(',')
const locations = LOCATIONS.split(',')
const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-fleet-'))

// Few agents serve all locations, many agents one each. They are spread over the servers.
const fleet = await Promise.all(
  Array.from({ length: count }, (_, index) =>
    startSimulatedAgents({
      count: 1,
      serverUrl: servers[index % servers.length] ?? '',
      apiKey: API_KEY,
      locations: count < locations.length ? locations : [locations[index % locations.length] ?? ''],
      folder: join(folder, String(index)),
    }),
  ),
)
console.log('ready')

process.once('SIGTERM', async () => {
  await Promise.all(fleet.map((agent) => agent.stop()))
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})
