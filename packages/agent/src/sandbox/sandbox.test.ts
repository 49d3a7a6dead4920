import { createServer } from 'node:https'
import { afterAll, describe, expect, it } from 'vitest'
import { localhost } from '../net/certificates.fixture.ts'
import { closeListeners, listen, serve } from '../net/listeners.fixture.ts'
import { closeSandbox, openSession } from './sandbox.ts'
import { aRequest, runScript, sessionSettings } from './session.fixture.ts'

afterAll(async () => {
  await closeSandbox()
  await closeListeners()
})

describe('a script', () => {
  it('changes the request', async () => {
    const { outcome } = await runScript(`
      request.method = 'post'
      request.url += '/1'
      request.body = { id: 7 }
      request.headers['x-token'] = 'abc'
      delete request.headers.accept
      request.queryParameters = { tag: ['a', 'b'], page: 2, gone: null }
    `)
    expect(outcome).toMatchObject({
      ok: true,
      request: {
        method: 'POST',
        url: 'https://api.example.test/orders/1',
        body: '{"id":7}',
        headers: [['x-token', 'abc']],
        queryParameters: [
          ['tag', 'a'],
          ['tag', 'b'],
          ['page', '2'],
        ],
      },
    })
  })

  it('knows its variables and its region, and nothing of this process', async () => {
    const script = `console.log(JSON.stringify(process.env), REGION, typeof response, process.argv.length)`
    const { log } = await runScript(script, { variables: { A: '1' } })
    expect(log).toEqual(['INFO {"A":"1"} eu-west-1 undefined 2'])
  })

  it('returns variables as strings', async () => {
    const script = `process.env.N = 5; process.env.T = 'x'; delete process.env.GONE; process.env.__proto__ = 'p'`
    const { outcome } = await runScript(script, { variables: { GONE: '1', KEPT: '2' } })
    expect(outcome.ok && Object.entries(outcome.variables).sort()).toEqual(
      Object.entries({ KEPT: '2', N: '5', T: 'x', ['__proto__']: 'p' }).sort(),
    )
  })

  it('changes the body of the response, and only that', async () => {
    const response = {
      statusCode: 201,
      statusText: 'Created',
      body: 'old',
      headers: { a: 'b' },
      timings: {},
      timingPhases: {},
    }
    const script = `response.body = response.statusCode + response.headers.a + response.body; response.statusCode = 500`
    const { outcome } = await runScript(script, {}, { phase: 'teardown', response })
    expect(outcome).toMatchObject({ ok: true, body: '201bold' })
    const { outcome: idle } = await runScript('response.body', {}, { phase: 'teardown', response })
    expect(idle).toMatchObject({ ok: true, body: null })
  })

  it.each([
    [
      'awaits and returns at its top',
      `await new Promise((done) => setTimeout(done, 1)); console.log('x'); return; throw 1`,
    ],
    [
      'is TypeScript',
      `const x: string = 'x' as const; interface A { b?: number }; console.log(x satisfies string)`,
    ],
    ['is TypeScript that needs compiling', `enum Letter { X = 'x' }\nconsole.log(Letter.X)`],
    [
      'imports',
      `import { format as put, type inspect } from 'node:util'\nimport assert from 'assert'\nassert(true); console.log(put('%s', 'x'))`,
    ],
    ['imports at run time', `const { posix } = await import('path'); console.log(posix.basename('/a/x'))`],
    ['requires', `console.log(require('node:querystring').stringify({ x: 1 })[0])`],
  ])('%s', async (_name, script) => {
    expect(await runScript(script)).toMatchObject({ outcome: { ok: true }, log: ['INFO x'] })
  })

  it('logs lines with their level, also those before its end', async () => {
    const script = `console.debug('%d', 1); console.info({ a: [1] }); console.warn('w'); console.error(new Error('e').message)
      console.table([{ a: 1 }]); process.stdout.write('out\\n'); throw new TypeError('wrong')`
    const { outcome, log } = await runScript(script)
    expect(outcome).toMatchObject({
      ok: false,
      code: 'SCRIPT_ERROR',
      message: 'TypeError: wrong (setup.js:2)',
    })
    expect(log.filter((line) => !line.includes('│'))).toEqual([
      'DEBUG 1',
      'INFO { a: [ 1 ] }',
      'WARN w',
      'ERROR e',
      'INFO out',
    ])
  })

  it.each([
    [
      'an unhandled rejection',
      `Promise.reject(new Error('late')); await new Promise(() => {})`,
      'Error: late',
    ],
    [
      'an exception in a callback',
      `setTimeout(() => { throw 'text' }); await new Promise(() => {})`,
      'thrown: text',
    ],
    ['bad syntax', `const a = 1\nfoo bar`, /^SyntaxError: .*setup\.js:2/],
    ['a module it may not have', `require('fs')`, /"fs" isn't available here; these are: assert, buffer/],
    ['a package', `require('left-pad')`, /the package "left-pad" isn't available/],
    [
      'a snippet that is not there',
      `require('./snippets/nope')`,
      /there is no snippet "nope"; there are none/,
    ],
  ])('fails by %s', async (_name, script, message) => {
    const { outcome } = await runScript(script)
    expect(outcome.ok ? '' : outcome.message).toMatch(message)
  })
})

describe('files of a script', () => {
  const imports = {
    path: 'checks/api/setup.ts',
    files: [
      {
        path: 'checks/api/token.ts',
        content: "import { join } from '../lib'\nexport const token = (name: string) => join('t', name)",
      },
      { path: 'checks/lib/index.ts', content: "export { join } from './join.js'\nexport * from './names'" },
      {
        path: 'checks/lib/join.ts',
        content:
          "import names from './names.json'\nexport const join = (...parts: string[]) => parts.join(names.separator)",
      },
      { path: 'checks/lib/names.json', content: '{"separator":"-"}' },
      {
        path: 'checks/lib/names.ts',
        content: "import * as api from '../api/token'\nexport const later = () => api.token('x')",
      },
    ],
  }

  it('are imported by relative paths, in TypeScript, JSON and in circles', async () => {
    const script =
      "import { token } from './token'\nimport { later } from '../lib/index.ts'\nconsole.log(token('a'), later())"
    const { outcome, log } = await runScript(script, {}, { imports })
    expect(outcome).toMatchObject({ ok: true })
    expect(log).toEqual(['INFO t-a t-x'])
  })

  it('are found beside snippets and packages, and a missing one is named', async () => {
    const snippets = [{ name: 'hash', script: 'exports.hash = (text) => "#" + text' }]
    const beside = await runScript(
      "console.log(require('./snippets/hash').hash(require('./token').token('a')))",
      { snippets },
      { imports },
    )
    expect(beside.log).toEqual(['INFO #t-a'])
    const { outcome } = await runScript("require('./nothing')", {}, { imports })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('./nothing') })
  })
})

describe('snippets', () => {
  const snippets = [
    {
      name: 'token',
      script: `const { hash } = require('./hash.js'); module.exports = { token: () => hash('t') + REGION }`,
    },
    {
      name: 'hash',
      script: `export const hash = (text: string): string => text.toUpperCase()\nexport default hash`,
    },
    { name: 'with space', script: `exports.x = request.url` },
  ]

  it.each([
    [`require('./snippets/token').token()`, 'Teu-west-1'],
    [`require('./snippets/hash.ts').hash('a') + require('./snippets/hash').default('b')`, 'AB'],
    [`require('./snippets/with space').x`, aRequest.url],
  ])('are found by %s', async (expression, expected) => {
    const { log } = await runScript(`console.log(${expression})`, { snippets })
    expect(log).toEqual([`INFO ${expected}`])
  })

  it('are imported, and errors name their position', async () => {
    const script = `import hash, { hash as named } from './snippets/hash'\nconsole.log(hash('a') + named('b'))\nrequire('./snippets/bad').f()`
    const bad = { name: 'bad', script: '\nexports.f = () => null.x' }
    const { outcome, log } = await runScript(script, { snippets: [...snippets, bad] })
    expect(log).toEqual(['INFO AB'])
    expect(outcome).toMatchObject({ message: expect.stringContaining('(snippets/bad.js:2)') })
  })
})

describe('the scripts of a run', () => {
  it('share a process, which is replaced with the last variables after a stop', async () => {
    const log: string[] = []
    const session = await openSession(
      sessionSettings({ onLog: (_level, msg) => log.push(msg), limits: { timeoutMs: 1_000 } }),
    )
    const run = (script: string) =>
      session!.run({ phase: 'setup', script, request: aRequest, response: null })
    await run(`globalThis.kept = 1; process.env.A = 'a'`)
    await run(`console.log(typeof kept, process.env.A)`)
    expect(await run('for (;;);')).toMatchObject({ ok: false, code: 'SCRIPT_TIMEOUT' })
    await run(`console.log(typeof kept, process.env.A)`)
    session!.close()
    expect(log).toEqual(['number a', 'undefined a'])
  })

  it('are canceled', async () => {
    const stop = new AbortController()
    const script = `console.log('running'); await new Promise(() => {})`
    const { outcome } = await runScript(script, { signal: stop.signal, onLog: () => stop.abort() })
    expect(outcome).toMatchObject({ ok: false, code: 'CANCELLED', isOurs: true })
    expect(await openSession(sessionSettings({ signal: stop.signal }))).toBeNull()
  })
})

describe('the network of scripts', () => {
  it.each([
    [
      'fetch',
      (url: string) => `console.log(await (await fetch('${url}/f', { method: 'POST', body: 'b' })).text())`,
    ],
    [
      'http',
      (url: string) => `const http = require('http')
      await new Promise((done, fail) => http.get('${url}/f', (r) => r.on('data', (d) => console.log(String(d))).on('end', done)).on('error', fail))`,
    ],
    [
      'net',
      (url: string) => `const { hostname, port } = new URL('${url}')
      const socket = require('net').connect(Number(port), hostname, () => socket.end('GET /f HTTP/1.0\\r\\n\\r\\n'))
      const chunks = []; for await (const chunk of socket) chunks.push(chunk)
      console.log(Buffer.concat(chunks).toString().split('\\r\\n').at(-1))`,
    ],
  ])('reaches a target by %s', async (_name, script) => {
    const url = await serve((request, response) => response.end(`at ${request.url}`))
    expect(await runScript(script(url))).toMatchObject({ outcome: { ok: true }, log: ['INFO at /f'] })
  })

  it('supports TLS and verifies certificates', async () => {
    const { cert, key } = localhost
    const port = await listen(createServer({ cert, key }, (_request, response) => response.end('secret')))
    const fetched = `fetch('https://localhost:${port}/').then((r) => r.text()).catch((e) => e.cause.code)`
    const { log } = await runScript(`console.log(await ${fetched})
      const https = require('https'); console.log(await new Promise((done) => https.get({ port: ${port}, host: 'localhost',
        rejectUnauthorized: false }, (r) => r.on('data', (d) => done(String(d))))))`)
    expect(log[0]).toMatch(/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/)
    expect(log[1]).toBe('INFO secret')
  })

  it('reports failed connections, and resolves names', async () => {
    const { log } = await runScript(`
      await fetch('http://127.0.0.1:3/').catch((e) => console.log(e.cause.code))
      const dns = require('dns')
      console.log((await dns.promises.lookup('localhost', { family: 4 })).address, await dns.promises.resolve4('localhost'))
      dns.lookup('localhost', { all: true, family: 4 }, (error, found) => console.log(found[0].family))
      await new Promise((done) => setTimeout(done, 50))`)
    expect(log).toEqual(['INFO ECONNREFUSED', `INFO 127.0.0.1 [ '127.0.0.1' ]`, 'INFO 4'])
  })
})
