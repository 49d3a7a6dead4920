// Debian's PgBouncer in transaction mode, in front of one host.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { end, launch, own } from './debian.ts'

export const bouncerProgram = '/usr/sbin/pgbouncer'

export interface Bouncer {
  port: number
  /** What an operator does after a failover: another host in the configuration, and a reload. */
  pointTo(port: number): void
  stop(): Promise<void>
}

export async function startBouncer(
  home: string,
  target: { user: string; password: string; database: string; port: number },
): Promise<Bouncer> {
  const folder = join(home, 'pgbouncer')
  mkdirSync(folder)
  own(folder)
  const port = await freePort()
  const users = join(folder, 'users')
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(users, `"${target.user}" "${target.password}"\n`)
  own(users)
  const configure = (targetPort: number) => {
    writeFileSync(
      settings,
      [
        '[databases]',
        `${target.database} = host=127.0.0.1 port=${targetPort} dbname=${target.database}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = scram-sha-256',
        `auth_file = ${users}`,
        `logfile = ${join(folder, 'log')}`,
        'pool_mode = transaction',
        'default_pool_size = 20',
        'max_client_conn = 200',
        'server_login_retry = 1',
        'query_wait_timeout = 10',
        '',
      ].join('\n'),
    )
    own(settings)
  }
  configure(target.port)
  const child = launch(bouncerProgram, ['-q', settings])
  return {
    port,
    pointTo(targetPort) {
      configure(targetPort)
      child.kill('SIGHUP')
    },
    stop: () => end(child, 'SIGINT'),
  }
}
