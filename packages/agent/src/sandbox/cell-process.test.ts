// The supervisor of a cell is untrusted: whatever it sends, only that cell ends.
import { spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { CellProcess } from './cell-process.ts'

const opened: CellProcess[] = []

afterEach(() => {
  for (const process of opened.splice(0)) process.kill('killed')
})

/** Runs this code as the supervisor, then waits. */
function cellThat(code: string, limits?: { lineBytes: number; allBytes: number }): CellProcess {
  const program = `const send = (text) => process.stdout.write(text); ${code}; setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: 'pipe', env: {} })
  const found = new CellProcess(child, undefined, limits)
  opened.push(found)
  return found
}

const program = { argv: ['x'], env: {}, cwd: '/' }
const ready = `send('{"type":"ready"}\\n')`

describe('the supervisor of a cell', () => {
  it('reports the output of programs and how they end', async () => {
    const received: string[] = []
    const cell = cellThat(`${ready}; process.stdin.once('data', () => {
      send(JSON.stringify({ type: 'output', id: 1, stream: 'stderr', data: Buffer.from('hé').toString('base64') }) + '\\n')
      send('{"type":"end","id":1,"exitCode":3,"signal":null}\\n')
    })`)
    expect(await cell.ready).toBe(true)
    const running = cell.start({
      ...program,
      onOutput: (stream, chunk) => received.push(`${stream} ${chunk}`),
    })
    expect(await running.ended).toEqual({ exitCode: 3, signal: null, reason: 'exited' })
    expect(received).toEqual(['stderr hé'])
  })

  it('is ignored for programs that were not started, and for a second end', async () => {
    const cell = cellThat(`${ready}
      send('{"type":"end","id":99,"exitCode":0}\\n{"type":"output","id":99,"stream":"stdout","data":"eA=="}\\n')
      process.stdin.once('data', () => send('{"type":"end","id":1,"exitCode":4294967299.5,"signal":"' + 'S'.repeat(1000) + '"}\\n{"type":"end","id":1,"exitCode":0}\\n'))`)
    await cell.ready
    const end = await cell.start(program).ended
    expect(end).toEqual({ exitCode: null, signal: 'S'.repeat(20), reason: 'exited' })
    expect(() => process.kill(cell.pid ?? 0, 0)).not.toThrow()
  })

  it.each([
    ['nonsense', `send('nonsense\\n')`],
    ['an empty line', `send('\\n')`],
    ['null', `send('null\\n')`],
    ['a list', `send('[]\\n')`],
    ['an order', `send('{"type":"start","id":1}\\n')`],
    ['output of an unknown stream', `send('{"type":"output","id":1,"stream":"__proto__","data":""}\\n')`],
    ['output that is not a string', `send('{"type":"output","id":1,"stream":"stdout","data":{}}\\n')`],
    ['an end without a number', `send('{"type":"end","id":"1"}\\n')`],
    ['brackets without end', `send('['.repeat(200_000) + '\\n')`],
    ['bytes', `process.stdout.write(Buffer.from([0xff, 0, 10]))`],
  ])('%s, and ends the cell', async (_name, code) => {
    const cell = cellThat(`${ready}; process.stdin.once('data', () => { ${code} })`)
    expect(await cell.ready).toBe(true)
    expect(await cell.start(program).ended).toEqual({ exitCode: null, signal: 'SIGKILL', reason: 'killed' })
    expect((await cell.start(program).ended).reason).toBe('killed')
  })

  it.each([
    ['a line without end', `setInterval(() => send('x'.repeat(10_000)), 0)`],
    ['too much in total', `setInterval(() => send('{"type":"ready"}\\n'.repeat(500)), 0)`],
    ['errors without end', `setInterval(() => process.stderr.write('x'.repeat(10_000)), 0)`],
  ])('%s only so far', async (_name, code) => {
    const cell = cellThat(`${ready}; ${code}`, { lineBytes: 100_000, allBytes: 300_000 })
    await cell.ready
    expect((await cell.start(program).ended).reason).toBe('output')
    expect(cell.errorOutput.length).toBeLessThanOrEqual(4_000)
  })

  it('ends all programs when it ends', async () => {
    const cell = cellThat(`${ready}; process.stdin.once('data', () => process.exit(0))`)
    await cell.ready
    expect((await cell.start(program).ended).reason).toBe('cell')
    expect((await cell.start(program).ended).reason).toBe('cell')
  })

  it('reports why it did not start', async () => {
    const cell = cellThat(`console.error('no namespace for you'); process.exit(1)`)
    expect(await cell.ready).toBe(false)
    expect(cell.errorOutput).toBe('no namespace for you')
    const missing = new CellProcess(spawn('/none/such', { stdio: 'pipe' }))
    expect(await missing.ready).toBe(false)
  })
})
