// Setup scripts with the packages of a runtime on a host without bubblewrap.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { checkoutRuntime } from '../runtimes/installed-runtime.fixture.ts'
import { fallbackWay } from './cell-launch.ts'
import { type CellStage, prepareCellStage } from './cell-stage.ts'
import { closeSandbox, launchChild, provideModules } from './sandbox.ts'
import { aRequest, sessionSettings } from './session.fixture.ts'
import { ScriptSession, type SessionSettings } from './session.ts'

let stage: CellStage
beforeAll(async () => {
  stage = await prepareCellStage()
  const { folder } = await checkoutRuntime()
  await provideModules(join(folder, 'node_modules'))
}, 300_000)
afterAll(async () => {
  await closeSandbox()
  stage.remove()
  await closeListeners()
})

async function run(script: string, limits: SessionSettings['limits'] = {}) {
  const source = {
    take: async () => launchChild({ stage, launch: fallbackWay(stage) }),
    giveBack: () => {},
    release: () => {},
  }
  const session = new ScriptSession(source, sessionSettings({ limits }))
  try {
    return await session.run({ phase: 'setup', script, request: aRequest, response: null })
  } finally {
    session.close()
  }
}

describe('a setup script without namespaces', () => {
  it('uses packages and the network', async () => {
    const url = await serve((_request, response) => response.end('{"token":"t1"}'))
    const outcome = await run(`
      import _ from 'lodash'
      const axios = require('axios')
      request.headers['x-token'] = _.upperCase((await axios.get('${url}')).data.token)`)
    expect(outcome).toMatchObject({ ok: true })
    expect(outcome.ok && outcome.request.headers).toContainEqual(['x-token', 'T 1'])
  }, 60_000)

  it("has no files, programs or threads, by Node's permission model", async () => {
    const outcome = await run(`
      const load = (name) => import(name)
      const attempts = [
        () => process.mainModule.require('fs').readFileSync('/etc/hostname'),
        () => new Function('return import("node:child_process")')(),
        () => process.execve('/bin/sh', ['sh'], {}),
      ]
      const found = []
      for (const attempt of attempts) try { await attempt(); found.push('got') } catch { found.push('refused') }
      request.headers['x-found'] = found.join()`)
    expect(outcome.ok ? outcome.request.headers : outcome).toContainEqual([
      'x-found',
      'refused,refused,refused',
    ])
  })

  it.each([
    ['an endless loop', 'for (;;);', 'SCRIPT_TIMEOUT'],
    ['a bomb of Buffers', 'const all = []; for (;;) all.push(Buffer.alloc(20e6, 1))', 'SCRIPT_MEMORY'],
    ['a flood of lines', 'for (;;) console.log("x".repeat(1000))', 'SCRIPT_OUTPUT'],
    ['leaving', 'process.exit(0)', 'SCRIPT_ENDED'],
    ['files', `require('fs')`, 'SCRIPT_ERROR'],
    ['other programs', `require('child_process')`, 'SCRIPT_ERROR'],
    ['signals', `process.kill(process.ppid, 'SIGKILL')`, 'SCRIPT_ERROR'],
  ])('is stopped: %s', { timeout: 90_000 }, async (_name, script, code) => {
    const timeoutMs = code === 'SCRIPT_TIMEOUT' ? 1_000 : 60_000
    expect(await run(script, { timeoutMs })).toMatchObject({ ok: false, code })
  })
})
