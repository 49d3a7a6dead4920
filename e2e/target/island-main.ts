// Runs inside the island: bridges, the name server, replies to pings, and the program on the island.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { IslandOrder, IslandPlan } from './island.ts'
import { listen, wait } from './listen.ts'
import { NameServer } from './name-server.ts'

const { bridges, command } = JSON.parse(process.argv[2] as string) as IslandPlan

const names = await NameServer.open({ names: {} }, 53)
for (const [endpoint, path] of Object.entries(bridges)) {
  const [port, address] = endpoint.split(':').reverse()
  const toStory = () =>
    createServer((near) => {
      const far = connect(path)
      near.pipe(far).pipe(near)
      far.on('error', () => near.destroy())
      near.on('error', () => far.destroy())
    })
  await listen(toStory, Number(port), address)
}
spawn(command[0] as string, command.slice(1), { stdio: ['ignore', 'inherit', 'inherit'] })

const echoIgnoreFiles = ['/proc/sys/net/ipv4/icmp_echo_ignore_all', '/proc/sys/net/ipv6/icmp/echo_ignore_all']

process.on('message', (order: IslandOrder & { number: number }) => {
  if (order.order === 'names') names.zone = order.zone
  else if (order.afterEchoes === undefined) respondToPings(order.isResponding)
  else respondLater(order.isResponding, echoes() + order.afterEchoes)
  process.send?.(order.number)
})
// The program on the island ends too.
process.on('disconnect', () => process.kill(0, 'SIGKILL'))
process.send?.(0)

function respondToPings(isResponding: boolean): void {
  for (const file of echoIgnoreFiles) writeFileSync(file, isResponding ? '0' : '1')
}

async function respondLater(isResponding: boolean, echoCount: number): Promise<void> {
  while (echoes() < echoCount) await wait(20)
  respondToPings(isResponding)
}

/** Received pings, as counted by the kernel. */
function echoes(): number {
  const [names, values] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Icmp: '))
    .map((line) => line.split(' '))
  return Number(values?.[names?.indexOf('InEchos') ?? -1])
}
