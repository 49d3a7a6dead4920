import { createServer, request as requestHttp, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createServerClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { AgentServer } from './agent-server.fixture.ts'
import { createServerClient, type ServerClientOptions } from './server-client.ts'
import { ServerError } from './server-exchange.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serverOf(): Promise<AgentServer> {
  const made = new AgentServer()
  await made.listen()
  cleanUps.push(() => made.kill())
  return made
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function clientOf(servers: string[], options: Partial<ServerClientOptions> = {}) {
  const lines: string[] = []
  const client = createServerClient(
    { servers, apiKey: 'pl_test', version: '1', ...options },
    createServerClock(),
    createLog('INFO', (line) => lines.push(line)),
  )
  cleanUps.push(() => client.close())
  const presence = JSON.stringify({
    agentId: crypto.randomUUID(),
    version: '1',
    state: 'running',
    startedAt: 0,
    leases: [],
  })
  return { client, lines, callOnce: (timeoutMs = 2_000) => client.call('presence', presence, { timeoutMs }) }
}

describe("an agent's line to its servers", () => {
  it('switches to the next server, and stays with the one that responds', async () => {
    const [first, second] = [await serverOf(), await serverOf()]
    const { callOnce, lines } = clientOf([first.url, second.url])
    first.failWith = { calls: ['presence'], status: 503 }
    await callOnce()
    await callOnce()
    expect([first.presences.length, second.presences.length]).toEqual([0, 2])
    await second.kill()
    first.failWith = null
    await callOnce()
    expect(first.presences).toHaveLength(1)
    expect(lines).toEqual([])
  })

  it('switches if a server accepts the call and never responds', async () => {
    const [first, second] = [await serverOf(), await serverOf()]
    first.failWith = { calls: ['presence'], status: 0 }
    const { callOnce } = clientOf([first.url, second.url])
    // Long enough for the second one on a busy machine.
    await callOnce(1_000)
    expect(second.presences).toHaveLength(1)
  })

  it('logs once that all are lost, and once that one is back', async () => {
    const home = await serverOf()
    const { callOnce, lines, client } = clientOf([home.url, 'http://127.0.0.1:1'])
    home.failWith = { calls: ['presence'], status: 500 }
    await expect(callOnce()).rejects.toThrow(ServerError)
    await expect(callOnce()).rejects.toThrow(ServerError)
    expect(client.isReachable).toBe(false)
    home.failWith = null
    await callOnce()
    await callOnce()
    expect(client.isReachable).toBe(true)
    expect(client.lastContactAt).toBeGreaterThan(0)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['server.lost', 'server.reached'])
  })

  it('asks no other server about a key that is wrong, and shows no key', async () => {
    const [first, second] = [await serverOf(), await serverOf()]
    const { callOnce, lines } = clientOf([first.url, second.url], { apiKey: 'pl_wrong' })
    await expect(callOnce()).rejects.toMatchObject({ status: 401, isRefusal: false })
    expect(second.presences).toEqual([])
    expect(lines.join()).not.toContain('pl_wrong')
  })

  it("refuses a server that isn't Vedette", async () => {
    const port = await listening(createServer((_request, response) => response.end('<html>')))
    await expect(clientOf([`http://127.0.0.1:${port}`]).callOnce()).rejects.toThrow("isn't a Vedette server")
  })

  it('talks to http servers through HTTP_PROXY, tunnels to https ones, and obeys NO_PROXY', async () => {
    const home = await serverOf()
    const seen: string[] = []
    const proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      const { pathname: path } = new URL(request.url ?? '')
      const { method = '', headers } = request
      const onward = requestHttp({ port: home.port, path, method, headers }, (answer) => {
        answer.pipe(response.writeHead(answer.statusCode ?? 0))
      })
      request.pipe(onward)
    })
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}`)
      const target = connect(home.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      target.pipe(socket).pipe(target)
      for (const one of [target, socket]) one.on('error', () => one.destroy())
    })
    const url = `http://ann:pw@127.0.0.1:${await listening(proxy)}`
    const proxies = { HTTP_PROXY: url, HTTPS_PROXY: url }
    await clientOf([home.url], { proxies }).callOnce()
    expect(seen).toEqual([`POST ${home.url}/agent/v1/presence`])
    // The target speaks no TLS: that it was asked to is all there is to see.
    await expect(clientOf(['https://vedette.test'], { proxies }).callOnce()).rejects.toThrow()
    expect(seen[1]).toBe('CONNECT vedette.test:443')
    await clientOf([home.url], { proxies: { ...proxies, NO_PROXY: '127.0.0.1' } }).callOnce()
    expect(seen).toHaveLength(2)
    expect(home.presences).toHaveLength(2)
  })
})
