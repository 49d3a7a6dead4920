// A fake npm: records how it was called, then writes what npm would write, or fails as the test demands.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const whole = `
const { existsSync, mkdirSync, writeFileSync } = require('node:fs')
// Node's mkdir never ends in a folder that was removed: its test is over.
if (!existsSync(here)) process.exit(1)
const packages = {
  ['node-' + process.platform + '-' + process.arch]: 'v24.13.1',
  playwright: '1.58.2',
}
for (const [name, version] of Object.entries(packages)) {
  mkdirSync('node_modules/' + name, { recursive: true })
  writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ name, version }))
}
`

export class StandInNpm {
  readonly folder = mkdtempSync(join(tmpdir(), 'vedette-npm-'))
  readonly runtimesDir = join(this.folder, 'runtimes')
  readonly environment = { PATH: `${this.folder}/bin:${dirname(process.execPath)}` }

  constructor() {
    mkdirSync(join(this.folder, 'bin'))
    this.does(whole)
  }

  does(body: string): void {
    const note = `require('node:fs').appendFileSync(${JSON.stringify(join(this.folder, 'calls'))}, JSON.stringify({ args: process.argv.slice(2), environment: process.env, folder: process.cwd() }) + '\\n')`
    writeFileSync(
      join(this.folder, 'bin/npm'),
      `#!${process.execPath}\nconst here = process.cwd()\n${note}\n${body}\n`,
      { mode: 0o755 },
    )
  }

  /** Installs all, once the file is there. Orphaned by a test, it ends with the test's folder. */
  doesWhen(file: string): void {
    this.does(`const end = () => process.kill(process.pid, 'SIGKILL')
    setTimeout(end, 60_000).unref()
    const wait = setInterval(() => {
      if (!require('node:fs').existsSync(process.argv[1])) end()
      if (!require('node:fs').existsSync(${JSON.stringify(file)})) return
      clearInterval(wait)
      ${whole}
    }, 20)`)
  }

  doesAll(): void {
    this.does(whole)
  }

  calls(): { args: string[]; environment: Record<string, string>; folder: string }[] {
    const path = join(this.folder, 'calls')
    if (!existsSync(path)) return []
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
