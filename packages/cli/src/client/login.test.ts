import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '../config.ts'
import { runClientCommand } from '../core/run-client-command.ts'
import type { Terminal } from '../core/terminal.ts'
import { clientCommands } from './client-commands.ts'

const accounts: Record<string, { id: string; name: string }[]> = {
  vu_one: [{ id: '11111111-1111-4111-8111-111111111111', name: 'One' }],
  vu_two: [
    { id: '11111111-1111-4111-8111-111111111111', name: 'One' },
    { id: '22222222-2222-4222-8222-222222222222', name: 'Two' },
  ],
}

describe('vedette login', () => {
  const home = mkdtempSync(join(tmpdir(), 'vedette-home-'))
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      const key = (request.headers.authorization ?? '').replace('Bearer ', '')
      const reached = accounts[key]
      const body =
        reached === undefined
          ? { message: 'Bad Token' }
          : request.url === '/next/users/me'
            ? { id: 'u', name: 'Ada', email: 'ada@example.com' }
            : reached
      response.writeHead(reached === undefined ? 401 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => rmSync(join(home, '.config'), { recursive: true, force: true }))
  afterAll(() => {
    server.close()
    rmSync(home, { recursive: true })
  })

  /** Answers questions in order; without answers nobody is there. */
  function terminal(answers: string[], input = ''): Terminal {
    const ask = async () => answers.shift() ?? ''
    return {
      isInteractive: answers.length > 0,
      ask,
      askSecret: ask,
      readInput: async () => input,
      progress: () => undefined,
    }
  }

  async function run(words: string[], { answers = [] as string[], input = '', environment = {} } = {}) {
    const [name = '', ...args] = words
    const command = clientCommands[name]
    if (command === undefined) throw new Error(name)
    let stdout = ''
    let stderr = ''
    const code = await runClientCommand(
      command,
      args,
      {
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
      },
      {
        settings: readSettings({ HOME: home, CHECKLY_NO_DOTENV: '1', ...environment }),
        terminal: terminal(answers, input),
      },
    )
    return { code, stdout, stderr }
  }

  const published = join(home, '.config/@checkly/cli-local')
  const readStored = (name: string) => JSON.parse(readFileSync(join(published, name), 'utf8'))

  it('stores key and account where the published CLI reads them, for their user only', async () => {
    expect(await run(['login', '--url', `${url}/`, '--key', 'vu_one'])).toMatchObject({ code: 0, stderr: '' })
    expect(readStored('auth.json')).toEqual({ apiKey: 'vu_one' })
    expect(readStored('config.json')).toEqual({ accountId: accounts.vu_one?.[0]?.id, accountName: 'One' })
    expect(readdirSync(published).sort()).toEqual(['auth.json', 'config.json'])
    for (const name of ['auth.json', 'config.json']) {
      expect(statSync(join(published, name)).mode & 0o777).toBe(0o600)
    }
    const printed = await run(['env', '--json'])
    expect(JSON.parse(printed.stdout)).toEqual({
      CHECKLY_ENV: 'local',
      CHECKLY_API_URL: url,
      CHECKLY_MQTT_URL: url.replace('http', 'ws'),
      CHECKLY_API_KEY: 'vu_one',
      CHECKLY_ACCOUNT_ID: accounts.vu_one?.[0]?.id,
    })
  })

  it('asks for what is not given, and for the account if there are several', async () => {
    const { code, stdout } = await run(['login'], { answers: [url, 'vu_two', '2'] })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('as Ada, account "Two"') })
    expect(readStored('config.json')).toMatchObject({ accountName: 'Two' })
  })

  it('reads the key from the standard input', async () => {
    const { code, stdout } = await run(['login', '--url', url, '--key', '-', '--json'], { input: 'vu_one\n' })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ url, account: { name: 'One' }, user: { name: 'Ada' } })
    expect(stdout).not.toContain('vu_one')
  })

  it.each([
    [['--key', 'vu_wrong'], /doesn't accept the API key/],
    [['--key', 'vu_two'], /several accounts[\s\S]*--account 22222222-/],
    [
      ['--key', 'vu_one', '--account', '33333333-3333-4333-8333-333333333333'],
      /doesn't reach the account 3333/,
    ],
    [['--key', ''], /The API key is missing/],
  ])('stores nothing with %j', async (options, problem) => {
    const { code, stderr } = await run(['login', '--url', url, ...options])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(problem) })
    expect(() => readStored('auth.json')).toThrow('ENOENT')
  })

  it('says that no server responds', async () => {
    const { code, stderr } = await run(['login', '--url', 'http://127.0.0.1:1', '--key', 'vu_one'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/No response from http:\/\/127\.0\.0\.1:1: .+Is the server running/)
  })

  it('says which variables win over the login', async () => {
    const environment = { CHECKLY_API_KEY: 'vu_one', CHECKLY_API_URL: url }
    const { stdout } = await run(['login', '--json'], { environment })
    expect(JSON.parse(stdout).shadowedBy).toEqual(['CHECKLY_API_URL', 'CHECKLY_API_KEY'])
  })

  it('is removed by logout', async () => {
    await run(['login', '--url', url, '--key', 'vu_one'])
    expect(await run(['logout', '--json'])).toMatchObject({ code: 0, stdout: '{\n  "removed": true\n}\n' })
    expect((await run(['logout'])).stdout).toContain('There was no login')
    expect((await run(['env'])).stderr).toContain('No address of a server is set')
  })

  it('refuses an unknown shell', async () => {
    expect(await run(['env', '--shell', 'tcsh'])).toMatchObject({ code: 2 })
  })
})
