// The commands of other programs than that of the operator, which packages/server/src/operate/json-output.story.ts covers.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { commandTable, hasJson } from './command-table.ts'

const bin = fileURLToPath(new URL('../../bin/vedette.mjs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'vedette-json-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Responds to the requests of `login`. */
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify(request.url === '/next/accounts' ? [{ id: 'a', name: 'A' }] : { id: 'u', name: 'U' }),
  )
})
afterAll(() => server.close())

function run(words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: home, PORT: '0' }
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...words, '--json'], { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
}

describe('--json', () => {
  it('prints one value with every command that prints data', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const login = ['login', '--url', `http://127.0.0.1:${address.port}`, '--key', 'vu_a']
    // In this order: env needs a login. `runtime install` is tested beside the agent: it needs npm.
    const cases = [login, ['env'], ['logout'], ['runtime', 'list'], ['runtime', 'browsers'], ['version']]
    for (const words of cases) {
      const { code, stdout, stderr } = await run(words)
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toBeTypeOf('object')
    }
    const tested = new Set(cases.map(([name]) => name))
    const untested = [...commandTable].filter(
      ([name, { program }]) => program !== 'operate' && hasJson(name) && !tested.has(name),
    )
    // An export needs a server with resources: its story covers it. The doctor has a test of its own.
    expect(untested.map(([name]) => name).filter((name) => name !== 'export')).toEqual(['doctor'])
  })
})
