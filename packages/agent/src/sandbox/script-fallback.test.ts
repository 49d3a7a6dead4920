// Setup scripts with the packages of a runtime on a host without namespaces, with each remaining launch.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { checkoutRuntime } from '../runtimes/installed-runtime.fixture.ts'
import { type Launch, launchesFor } from './launch.ts'
import { scriptLimits } from './limits.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { aRequest, sessionSettings } from './session.fixture.ts'
import { type ChildSource, ScriptSession } from './session.ts'
import { prepareStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await prepareStage()
  const { folder } = await checkoutRuntime()
  stage.modules = join(folder, 'node_modules')
}, 300_000)
afterAll(async () => {
  stage.remove()
  await closeListeners()
})

const sourceOf = (launch: Launch): ChildSource => ({
  socketFolder: launch.socketFolder,
  giveBack: stage.removeRunFolder,
  async takeChild() {
    const folder = stage.makeRunFolder()
    const child = new SandboxProcess(launch.start(folder), scriptLimits)
    await new Promise<void>((settle) => {
      child.onMessage = () => settle()
      child.onEnd(() => settle())
    })
    return { process: child, folder, modules: launch.modulesFolder() }
  },
})

describe('a setup script without namespaces', () => {
  it('uses packages, and reaches the network through the agent', async () => {
    const url = await serve((_request, response) => response.end('{"token":"t1"}'))
    const script = `
      import _ from 'lodash'
      const axios = require('axios')
      request.headers['x-token'] = _.upperCase((await axios.get('${url}')).data.token)`
    const ways = launchesFor(stage).filter(({ layers }) => !layers.includes('root'))
    expect(ways.length).toBeGreaterThan(0)
    for (const launch of ways) {
      const log: string[] = []
      const settings = sessionSettings({ onLog: (_level, msg) => void log.push(msg) })
      const session = new ScriptSession(sourceOf(launch), settings)
      const outcome = await session.run({ phase: 'setup', script, request: aRequest, response: null })
      session.close()
      expect(outcome, `${launch.layers.join()} ${log.join()}`).toMatchObject({ ok: true })
      expect(outcome.ok && outcome.request.headers).toContainEqual(['x-token', 'T 1'])
    }
  }, 60_000)
})
