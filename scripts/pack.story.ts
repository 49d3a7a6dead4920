import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'vedette-packed-'))

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/pack.mjs'), '--out', join(folder, 'packages')])
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const tarballs = readdirSync(join(folder, 'packages')).map((file) => `./packages/${file}`)
  const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...quietly, ...tarballs], { cwd: folder })
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

describe('the packed vedette, installed in an empty directory', () => {
  it('prints the version it was packed with', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
    expect(vedette('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('lists its commands', () => {
    expect(vedette('help')).toMatchObject({ status: 0, stdout: expect.stringContaining('secret-key') })
  })

  it('starts a server that responds to its printed command, creates a key, and stops', async () => {
    const environment = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', HOST: '127.0.0.1' }
    const child = spawn(process.execPath, ['node_modules/vedette/bin/vedette.mjs', 'start'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = ''
        const read = (chunk: Buffer) => {
          text += chunk
          const line = /curl .*-H 'Authorization: (\S+ \S+)'.* (\S+)\n/.exec(text)
          if (line) resolve(line[2] as string)
        }
        child.stdout.on('data', read)
        child.stderr.on('data', read)
        ended.then((code) => reject(new Error(`ended with ${code}: ${text}`)))
      })
      const created = vedette('keys', 'create', '--json')
      const { rawKey } = JSON.parse(created.stdout)
      const response = await fetch(url, { headers: { authorization: `Bearer ${rawKey}` } })
      expect(response.status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  }, 60_000)

  it('contains no TypeScript source and no test', () => {
    const files = ['vedette', '@vedette/server', '@vedette/agent', '@vedette/contracts'].flatMap((name) =>
      readdirSync(join(folder, 'node_modules', name), { recursive: true, encoding: 'utf8' }),
    )
    expect(files).toContain('dist/main.js')
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|(^|\/)testing\//.test(file))).toEqual([])
  })
})

function vedette(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'vedette', ...argv], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_config_loglevel: 'silent', DATA_DIR: join(folder, 'data') },
  })
  return { status, stdout, stderr }
}
