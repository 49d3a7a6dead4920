// A cell's first process is a stranger: whatever it says, the agent stays whole and only that cell ends.
import { spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { CellProcess } from './cell-process.ts'

const opened: CellProcess[] = []

afterEach(() => {
  for (const process of opened.splice(0)) process.kill('killed')
})

/** Says these lines, then waits. */
function saying(code: string, limits?: { lineBytes: number; allBytes: number }): CellProcess {
  const program = `const say = (text) => process.stdout.write(text); ${code}; setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: 'pipe', env: {} })
  const found = new CellProcess(child, limits)
  opened.push(found)
  return found
}

const program = { argv: ['x'], env: {}, cwd: '/' }
const ready = `say('{"type":"ready"}\\n')`

describe('the agent hears', () => {
  it('what programs say and how they end', async () => {
    const heard: string[] = []
    const cell = saying(`${ready}; process.stdin.once('data', () => {
      say(JSON.stringify({ type: 'output', id: 1, stream: 'stderr', data: Buffer.from('hé').toString('base64') }) + '\\n')
      say('{"type":"end","id":1,"exitCode":3,"signal":null}\\n')
    })`)
    expect(await cell.ready).toBe(true)
    const running = cell.start({ ...program, onOutput: (stream, chunk) => heard.push(`${stream} ${chunk}`) })
    expect(await running.ended).toEqual({ exitCode: 3, signal: null, reason: 'exited' })
    expect(heard).toEqual(['stderr hé'])
  })

  it('nothing of programs that it did not start, nor of the same one twice', async () => {
    const cell = saying(`${ready}
      say('{"type":"end","id":99,"exitCode":0}\\n{"type":"output","id":99,"stream":"stdout","data":"eA=="}\\n')
      process.stdin.once('data', () => say('{"type":"end","id":1,"exitCode":4294967299.5,"signal":"' + 'S'.repeat(1000) + '"}\\n{"type":"end","id":1,"exitCode":0}\\n'))`)
    await cell.ready
    const end = await cell.start(program).ended
    expect(end).toEqual({ exitCode: null, signal: 'S'.repeat(20), reason: 'exited' })
    expect(cell.hasEnded).toBe(false)
  })

  it.each([
    ['nonsense', `say('nonsense\\n')`],
    ['an empty line', `say('\\n')`],
    ['null', `say('null\\n')`],
    ['a list', `say('[]\\n')`],
    ['an order', `say('{"type":"start","id":1}\\n')`],
    ['output of no stream', `say('{"type":"output","id":1,"stream":"__proto__","data":""}\\n')`],
    ['output that is no text', `say('{"type":"output","id":1,"stream":"stdout","data":{}}\\n')`],
    ['an end of nobody', `say('{"type":"end","id":"1"}\\n')`],
    ['brackets without end', `say('['.repeat(200_000) + '\\n')`],
    ['bytes', `process.stdout.write(Buffer.from([0xff, 0, 10]))`],
  ])('%s, and ends the cell', async (_name, code) => {
    const cell = saying(`${ready}; process.stdin.once('data', () => { ${code} })`)
    expect(await cell.ready).toBe(true)
    expect(await cell.start(program).ended).toEqual({ exitCode: null, signal: 'SIGKILL', reason: 'killed' })
    expect(cell.hasEnded).toBe(true)
  })

  it.each([
    ['a line without end', `setInterval(() => say('x'.repeat(10_000)), 0)`],
    ['more than it listens to', `setInterval(() => say('{"type":"ready"}\\n'.repeat(500)), 0)`],
    ['complaints without end', `setInterval(() => process.stderr.write('x'.repeat(10_000)), 0)`],
  ])('%s only so far', async (_name, code) => {
    const cell = saying(`${ready}; ${code}`, { lineBytes: 100_000, allBytes: 300_000 })
    await cell.ready
    expect((await cell.start(program).ended).reason).toBe('killed')
    expect(cell.complaint.length).toBeLessThanOrEqual(4_000)
  })

  it('that it is gone', async () => {
    const cell = saying(`${ready}; process.stdin.once('data', () => process.exit(0))`)
    await cell.ready
    expect((await cell.start(program).ended).reason).toBe('cell')
    expect((await cell.start(program).ended).reason).toBe('cell')
  })

  it('that it never began, and why', async () => {
    const cell = saying(`console.error('no namespace for you'); process.exit(1)`)
    expect(await cell.ready).toBe(false)
    expect(cell.complaint).toBe('no namespace for you')
    const missing = new CellProcess(spawn('/none/such', { stdio: 'pipe' }))
    expect(await missing.ready).toBe(false)
  })
})
