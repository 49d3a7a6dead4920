// Debian's HAProxy with deploy/haproxy.cfg, in front of servers at fixed addresses instead of names.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { end, launch, own } from '../failover/debian.ts'
import { thisCheckout, until } from '../fleet.ts'

export const haproxyProgram = '/usr/sbin/haproxy'

export interface Balancer {
  url: string
  stop(): Promise<void>
}

export async function startBalancer(home: string, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort()
  const file = join(home, 'haproxy.cfg')
  writeFileSync(file, configFor(port, ports))
  own(file)
  const child = launch(haproxyProgram, ['-f', file])
  const url = `http://127.0.0.1:${port}`
  await until('the balancer has a server', () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return { url, stop: () => end(child, 'SIGKILL') }
}

function configFor(port: number, ports: readonly number[]): string {
  const text = readFileSync(join(thisCheckout.root, 'deploy/haproxy.cfg'), 'utf8')
  const servers = ports.map((one) => `  server server-${one} 127.0.0.1:${one}`).join('\n')
  const changed = text
    .replace(/^resolvers (?:.+\n)+\n/m, '')
    .replace(' resolvers containers init-addr none', '')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ +server-template .*$/m, servers)
  if (changed.includes('resolvers') || !changed.includes(`bind 127.0.0.1:${port}\n`))
    throw new Error('deploy/haproxy.cfg has another form than this drill knows')
  return changed
}
