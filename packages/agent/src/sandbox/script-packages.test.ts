// Setup and teardown scripts with the packages of a runtime, with the same isolation.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { checkoutRuntime } from '../runtimes/installed-runtime.fixture.ts'
import { closeSandbox, provideModules } from './sandbox.ts'
import { runScript } from './session.fixture.ts'

afterAll(async () => {
  await closeSandbox()
  await closeListeners()
})

describe('packages of the runtime', () => {
  it('are reported as missing before the installation', async () => {
    const { outcome } = await runScript(`require('lodash')`)
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining("hasn't installed its runtime yet"),
    })
  })

  describe('once it is installed', () => {
    beforeAll(async () => {
      const { folder } = await checkoutRuntime()
      await provideModules(join(folder, 'node_modules'))
    }, 300_000)

    it('can be required and imported', async () => {
      const { outcome } = await runScript(`
        import _ from 'lodash'
        const { default: moment } = await import('moment')
        const jwt = require('jsonwebtoken')
        request.headers['x-a'] = _.camelCase('a b') + moment.utc(0).year()
        request.headers['x-b'] = String(jwt.verify(jwt.sign({ sub: 'me' }, 'key'), 'key').sub)`)
      expect(outcome).toMatchObject({ ok: true })
      expect(outcome.ok && outcome.request.headers).toEqual(
        expect.arrayContaining([
          ['x-a', 'aB1970'],
          ['x-b', 'me'],
        ]),
      )
    })

    it('use the same egress', async () => {
      const url = await serve((_request, response) => response.end('{"token":"t1"}'))
      const { outcome } = await runScript(`
        const axios = require('axios')
        request.headers['x-token'] = (await axios.get('${url}')).data.token`)
      expect(outcome).toMatchObject({ ok: true })
      expect(outcome.ok && outcome.request.headers).toContainEqual(['x-token', 't1'])
    })

    it('open no other connection', async () => {
      const { outcome } = await runScript(`
        const load = require('lodash/package.json') && module.constructor
        const tried = []
        for (const act of [
          () => require('fs').readFileSync('/etc/passwd'),
          () => process.mainModule.require('child_process').execSync('id'),
          () => require('lodash').constructor('return process')().getBuiltinModule('child_process').execSync('id'),
        ]) {
          try { act(); tried.push('got through') } catch { tried.push('refused') }
        }
        request.headers['x-tried'] = tried.join()`)
      expect(outcome.ok ? outcome.request.headers : outcome).toContainEqual([
        'x-tried',
        'refused,refused,refused',
      ])
    })
  })
})
