// compose.scale.yml: its schema, settings, references, and the balancer in front of two real servers.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startServer, until } from '../../drills/fleet.ts'
import { freePort } from '../../free-port.ts'
import { onNewDatabase } from '../../new-database.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const text = readFileSync(join(root, 'compose.scale.yml'), 'utf8')
const { services, volumes } = parse(text, { merge: true })
const namesOf = (program: 'server' | 'agent'): { settings: string[]; secrets: string[] } =>
  JSON.parse(readFileSync(join(root, `deploy/chart/settings/${program}.json`), 'utf8'))

const check = (environment: Record<string, string>) =>
  promisify(execFile)('docker-compose', ['--file', 'compose.scale.yml', 'config', '--quiet'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
  })

describe('compose.scale.yml', () => {
  it('follows the schema, and names the setting that is missing', async () => {
    await expect(check({ SECRET_KEY: 'a secret key of the story' })).resolves.toMatchObject({ stderr: '' })
    await expect(check({})).rejects.toThrow('set SECRET_KEY in .env to a random text')
  })

  it.each(Object.keys(services))('%s refers to settings, files, volumes and services that exist', (name) => {
    const service = services[name]
    for (const other of Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {}))
      expect(Object.keys(services)).toContain(other)
    for (const mount of service.volumes ?? []) {
      const [source] = mount.split(':')
      if (source.startsWith('./')) expect(existsSync(join(root, source))).toBe(true)
      else expect(Object.keys(volumes)).toContain(source)
    }
    if (service.build === undefined) return
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    expect(dockerfile).toContain(` AS ${service.build.target}\n`)
    const { settings, secrets } = namesOf(name.startsWith('agent') ? 'agent' : 'server')
    for (const [setting, value] of Object.entries(service.environment)) {
      expect([...settings, ...secrets]).toContain(setting)
      // Secrets come from .env, never from the file.
      if (secrets.includes(setting)) expect(value).toMatch(/^\$\{/)
    }
  })

  it('isolates code as compose.yml does', () => {
    const { services: small } = parse(readFileSync(join(root, 'compose.yml'), 'utf8'), { merge: true })
    for (const name of ['agent-frankfurt', 'agent-virginia']) {
      for (const field of ['cap_add', 'security_opt', 'user', 'init', 'shm_size'])
        expect(services[name][field]).toEqual(small.agent[field])
    }
  })

  it('the balancer finds servers by name, and requests go on while one of two stops', async () => {
    const home = mkdtempSync(join(tmpdir(), 'vedette-balancer-'))
    const [port, front] = [await freePort(), await freePort()]
    const dns = await serveNames(['127.0.0.1', '127.0.0.2'])
    let balancer: ChildProcess | undefined
    try {
      await onNewDatabase(async (databaseUrl) => {
        const environment = {
          DATABASE_URL: databaseUrl,
          SECRET_KEY: 'a secret key that both servers have',
          PORT: String(port),
          STOP_DELAY_SECONDS: services.server.environment.STOP_DELAY_SECONDS,
        }
        const one = await startServer({ ...environment, HOST: '127.0.0.1', DATA_DIR: join(home, 'one') })
        const two = await startServer({ ...environment, HOST: '127.0.0.2', DATA_DIR: join(home, 'two') })
        try {
          const config = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
            .replace('parse-resolv-conf', `nameserver story 127.0.0.1:${dns.address().port}`)
            .replace('bind :8080', `bind 127.0.0.1:${front}`)
            .replace('server:3000', `server:${port}`)
          writeFileSync(join(home, 'haproxy.cfg'), config)
          balancer = spawn('/usr/sbin/haproxy', ['-f', join(home, 'haproxy.cfg')], { stdio: 'ignore' })
          const send = (path: string, init: RequestInit = {}) =>
            fetch(`http://127.0.0.1:${front}${path}`, {
              ...init,
              headers: {
                authorization: `Bearer ${one.first?.key}`,
                'x-service-account': one.first?.accountId ?? '',
                'content-type': 'application/json',
              },
            }).then(
              async (response) => {
                const text = await response.text()
                return response.ok ? String(response.status) : `${response.status}: ${text}`
              },
              (error) => String(error),
            )
          const get = () => send('/v1/accounts/me')
          const post = (name: string) =>
            send('/v1/snippets', { method: 'POST', body: JSON.stringify({ name, script: '1' }) })
          await until('the balancer has a server', async () => (await get()) === '200')
          const statuses: string[] = []
          const stopped = one.stop()
          while (!one.hasEnded()) statuses.push(await get(), await post(`snippet-${statuses.length}`))
          expect(await stopped).toBe(0)
          for (let turn = 0; turn < 20; turn++) statuses.push(await get())
          expect(statuses.length).toBeGreaterThan(20)
          expect(new Set(statuses)).toEqual(new Set(['200', '201']))
        } finally {
          await one.stop()
          await two.stop()
        }
      })
    } finally {
      if (balancer !== undefined && balancer.exitCode === null) {
        balancer.kill('SIGKILL')
        await once(balancer, 'exit')
      }
      dns.close()
      rmSync(home, { recursive: true, force: true })
    }
  }, 300_000)
})

/** A name server that resolves every name to these addresses. */
async function serveNames(addresses: string[]): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('message', (query, sender) => {
    // The question: labels until an empty one, then type and class.
    let end = 12
    while ((query[end] ?? 0) > 0) end += (query[end] ?? 0) + 1
    end += 5
    const isAddress = query.readUInt16BE(end - 4) === 1
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(isAddress ? addresses.length : 0, 6)
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([header, query.subarray(12, end), ...(isAddress ? answers : [])]), sender.port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}
