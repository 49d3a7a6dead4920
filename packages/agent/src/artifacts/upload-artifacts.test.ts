import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentServer, until } from '../connection/agent-server.fixture.ts'
import { createServerClient } from '../connection/server-client.ts'
import { createServerClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { bundleDownloader } from './download-bundle.ts'
import type { OutputFile } from './output-file.ts'
import { uploadArtifacts } from './upload-artifacts.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
let folder: string
let server: AgentServer
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vedette-upload-'))
  server = new AgentServer()
  await server.listen()
  cleanUps.push(
    () => rm(folder, { recursive: true }),
    () => server.kill(),
  )
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function clientOf(servers: string[]) {
  const lines: string[] = []
  const log = createLog('INFO', (line) => lines.push(line))
  const client = createServerClient({ servers, apiKey: 'pl_test', version: '1' }, createServerClock(), log)
  cleanUps.push(() => client.close())
  return { client, lines }
}

async function fileOf(name: string, content: string | Buffer): Promise<OutputFile> {
  const path = join(folder, name.replaceAll('/', '-'))
  await writeFile(path, content)
  return { type: 'file', name, path, contentType: 'text/plain' }
}

function upload(
  files: OutputFile[],
  { servers = [server.url], deadlineMs = 10_000, signal = new AbortController().signal } = {},
) {
  const left: string[] = []
  const { client } = clientOf(servers)
  const agentId = crypto.randomUUID()
  const onLeft = (line: string) => left.push(line)
  const sent = uploadArtifacts(files, { client, token: 'lease-1', agentId, signal, deadlineMs, onLeft })
  return sent.then((artifacts) => ({ artifacts, left }))
}

function closed(server: Server): void {
  server.closeAllConnections()
  server.close()
}

const shaOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

describe('the files of a run', () => {
  it('are uploaded with the lease and described for the result', async () => {
    const big = Buffer.alloc(3_000_000, 'abc')
    const files = [await fileOf('a/log.txt', 'hello'), await fileOf('b.bin', big), await fileOf('empty', '')]
    const { artifacts, left } = await upload(files)
    expect(left).toEqual([])
    expect(artifacts).toEqual([
      { type: 'file', name: 'a/log.txt', contentType: 'text/plain', sizeBytes: 5, sha256: shaOf('hello') },
      { type: 'file', name: 'b.bin', contentType: 'text/plain', sizeBytes: big.length, sha256: shaOf(big) },
      { type: 'file', name: 'empty', contentType: 'text/plain', sizeBytes: 0, sha256: shaOf('') },
    ])
    expect(server.artifacts.get(shaOf(big))?.equals(big)).toBe(true)
    expect(server.uploadTokens).toEqual(['lease-1', 'lease-1', 'lease-1'])
    expect(server.problems).toEqual([])
  })

  it('are uploaded once if their bytes are identical or known already', async () => {
    server.artifacts.set(shaOf('known'), Buffer.from('known'))
    const files = [await fileOf('one', 'same'), await fileOf('two', 'same'), await fileOf('three', 'known')]
    const { artifacts } = await upload(files)
    expect(artifacts.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
    expect(server.uploadTokens).toHaveLength(1)
  })

  it('are retried when a server fails, with the next one', async () => {
    const other = new AgentServer()
    await other.listen()
    cleanUps.push(() => other.kill())
    server.failWith = { calls: ['upload'], status: 503 }
    const { artifacts, left } = await upload([await fileOf('a', 'text')], {
      servers: [server.url, other.url],
    })
    expect([artifacts.length, left]).toEqual([1, []])
    expect(other.artifacts.has(shaOf('text'))).toBe(true)
  })

  it('survive a server that restarts during the upload', async () => {
    let requests = 0
    server.failWith = {
      calls: ['upload'],
      get status() {
        requests += 1
        server.failWith = null
        return null
      },
    }
    const { artifacts } = await upload([await fileOf('a', Buffer.alloc(2_000_000))])
    expect([artifacts.length, requests]).toEqual([1, 1])
  })

  it('are left out with a message when the time is up', async () => {
    server.failWith = { calls: ['artifacts/wanted'], status: 503 }
    const { artifacts, left } = await upload([await fileOf('a', 'x')], { deadlineMs: 300 })
    const why =
      /^a is not kept: there was no time left to upload it \(http.* responded 503: broken on purpose\)$/
    expect([artifacts, left]).toEqual([[], [expect.stringMatching(why)]])
  })

  it('are left out when a server accepts the connection and reads nothing', async () => {
    const deaf = createServer((request, response) => {
      if (request.method === 'PUT') return
      response.end(JSON.stringify({ serverTime: 1, wanted: [shaOf(Buffer.alloc(9_000_000))] }))
    })
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
    cleanUps.push(() => closed(deaf))
    const servers = [`http://127.0.0.1:${(deaf.address() as AddressInfo).port}`]
    const { artifacts, left } = await upload([await fileOf('a', Buffer.alloc(9_000_000))], {
      servers,
      deadlineMs: 500,
    })
    expect([artifacts, left]).toEqual([[], ['a is not kept: there was no time left to upload it']])
  })

  it('are left out one by one when the server refuses them', async () => {
    server.failWith = { calls: ['upload'], status: 413 }
    const { artifacts, left } = await upload([await fileOf('a', 'x')])
    expect(artifacts).toEqual([])
    expect(left).toEqual([expect.stringMatching(/^a is not kept: http:.* responded 413: broken on purpose$/)])
  })

  it('are left out when a run is canceled', async () => {
    const { artifacts, left } = await upload([await fileOf('a', 'x')], { signal: AbortSignal.abort() })
    expect([artifacts, left]).toEqual([[], ['a is not kept: the run was canceled']])
  })

  it('are neither links nor missing nor too large', async () => {
    await writeFile(join(folder, 'target'), 'a file of this machine')
    await symlink(join(folder, 'target'), join(folder, 'link'))
    const gone = { ...(await fileOf('gone', '')), path: join(folder, 'nowhere') }
    const large = await fileOf('large', '')
    await truncate(large.path, 150 * 1024 * 1024 + 1)
    const link = { ...gone, name: 'link', path: join(folder, 'link') }
    const { artifacts, left } = await upload([link, gone, large, await fileOf('good', 'x')])
    expect(artifacts.map(({ name }) => name)).toEqual(['good'])
    expect(left).toEqual([
      expect.stringMatching(/^link is not kept: ELOOP/),
      expect.stringMatching(/^gone is not kept: ENOENT/),
      'large is not kept: it is larger than 150 MB',
    ])
  })
})

describe("a suite's bundle", () => {
  it('is written to a file', async () => {
    server.bundle = Buffer.alloc(1_000_000, 'bundle')
    const { client } = clientOf([server.url])
    await bundleDownloader(client)('lease-1', join(folder, 'bundle'), new AbortController().signal)
    expect((await readFile(join(folder, 'bundle'))).equals(server.bundle)).toBe(true)
  })

  it("is an error at once if it doesn't exist, without giving up the server", async () => {
    const { client, lines } = clientOf([server.url])
    const load = bundleDownloader(client)('lease-1', join(folder, 'bundle'), new AbortController().signal)
    await expect(load).rejects.toThrow('responded 404: there is no such bundle')
    expect([client.isReachable, lines]).toEqual([true, []])
  })

  it('is downloaded again after an interruption, and leaves no partial file', async () => {
    let requests = 0
    const bytes = Buffer.alloc(500_000, 'x')
    const breaking = createServer((_request, response) => {
      requests += 1
      response.writeHead(200, { 'content-length': bytes.length })
      if (requests === 1) response.write(bytes.subarray(0, 1000), () => response.destroy())
      else response.end(bytes)
    })
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve))
    cleanUps.push(() => closed(breaking))
    const { client } = clientOf([`http://127.0.0.1:${(breaking.address() as AddressInfo).port}`])
    const path = join(folder, 'bundle')
    await bundleDownloader(client)('lease-1', path, new AbortController().signal)
    expect([requests, (await readFile(path)).length]).toEqual([2, bytes.length])
  })

  it('is given up when the run is canceled', async () => {
    server.failWith = { calls: ['code-bundle'], status: 503 }
    const { client, lines } = clientOf([server.url])
    const control = new AbortController()
    const load = bundleDownloader(client)('lease-1', join(folder, 'bundle'), control.signal)
    await until(() => lines.length > 0, 'the first try')
    control.abort()
    await expect(load).rejects.toThrow('aborted')
  })
})
