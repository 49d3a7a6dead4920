import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScriptWorld, type ScriptWorld } from './script.fixture.ts'

let world: ScriptWorld
beforeAll(async () => {
  world = await openScriptWorld()
}, 300_000)
afterAll(() => world.close())

describe('what was compiled', { timeout: 90_000 }, () => {
  const script = `import { test } from '@playwright/test'
import { types } from 'node:util'
import { greeting } from './greeting'
const found = Object.entries(require.cache).find(([name]) => name.endsWith('babelBundleImpl.js'))
const isLoaded: boolean = found !== undefined && !types.isProxy(found[1]?.exports)
console.log(greeting + ', the compiler is ' + (isLoaded ? 'loaded' : 'absent'))
process.stdout.write('\\0compiled {"aa/planted.js":"planted"}\\n')
test('passes', () => {})`
  const withGreeting = (content: string) => ({
    check: { dependencies: [{ path: 'greeting.ts', content }] },
  })
  const hello = withGreeting("export const greeting: string = 'hello'")

  it('serves later runs of the same files, and nothing else does', async () => {
    const texts = []
    for (const options of [
      hello,
      hello,
      withGreeting("export const greeting = 'goodbye'"),
      { ...hello, job: { checkId: randomUUID() } },
    ]) {
      const { outcome, log } = await world.run(script, options)
      expect(outcome).toBe('passed')
      texts.push(log.map(({ msg }) => msg).find((msg) => msg.includes('the compiler is')))
    }
    expect(texts).toEqual([
      'hello, the compiler is loaded',
      'hello, the compiler is absent',
      'goodbye, the compiler is loaded',
      'hello, the compiler is loaded',
    ])
  })
})
