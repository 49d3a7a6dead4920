import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { endingWithUs } from './ending-with-us.ts'

const door = fileURLToPath(new URL('./ending-with-us.ts', import.meta.url))

/** Starts a program that would go on for a minute, and tells its id. */
const parent = `
import { spawn } from 'node:child_process'
import { endingWithUs } from ${JSON.stringify(door)}
const child = spawn(...endingWithUs(process.execPath, ['-e', 'console.log(process.pid); setTimeout(() => {}, 60000)']))
child.stdout.pipe(process.stdout)
`

it('ends with the process that started it, also when that is killed', async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '-e', parent])
  const pid = await new Promise<number>((resolve) => {
    starter.stdout.on('data', (chunk) => resolve(Number(String(chunk))))
  })
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  starter.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false)
})

it('passes arguments and the exit code on', async () => {
  const child = spawn(
    ...endingWithUs(process.execPath, ['-e', 'process.exit(process.argv.length)', '--', '-x']),
  )
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2)
})
