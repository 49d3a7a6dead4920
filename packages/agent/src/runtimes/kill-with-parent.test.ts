import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { killWithParent } from './run-npm.ts'

const module = fileURLToPath(new URL('./run-npm.ts', import.meta.url))

/** Starts a program that runs for a minute, and prints its process id. */
const parent = `
import { spawn } from 'node:child_process'
import { killWithParent } from ${JSON.stringify(module)}
const child = spawn(...killWithParent(process.execPath, ['-e', 'console.log(process.pid); setTimeout(() => {}, 60000)']))
child.stdout.pipe(process.stdout)
`

it('ends with the process that started it, also when that is killed', async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '-e', parent])
  const pid = await new Promise<number>((resolve) => {
    starter.stdout.on('data', (chunk) => resolve(Number(String(chunk))))
  })
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  starter.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
})

it('passes arguments and the exit code on', async () => {
  const child = spawn(
    ...killWithParent(process.execPath, ['-e', 'process.exit(process.argv.length)', '--', '-x']),
  )
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2)
})
