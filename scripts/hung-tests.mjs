// A reporter of Vitest. The limit of a test is a timer in the process that runs it, so it can't end a test that blocks this
// process. When no test has ended for a long time, this prints which files and processes hang, and kills the workers of
// Vitest: the run fails, with a cause, before the patience of its caller ends.
import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

/** More than the longest limit of a test. */
const patienceMs = Number(process.env.TEST_PATIENCE_SECONDS ?? 1_200) * 1000
const worker = /\bvitest\/dist\/workers\//

export default class HungTests {
  running = new Set()
  #lastEndAt
  #timer

  onTestRunStart() {
    this.#lastEndAt = Date.now()
    this.#timer = setInterval(() => this.#look(), patienceMs / 10)
  }

  onTestModuleQueued(file) {
    this.running.add(file.relativeModuleId)
  }

  onTestCaseReady(test) {
    this.running.add(nameOf(test))
  }

  onTestCaseResult(test) {
    this.running.delete(nameOf(test))
    this.#lastEndAt = Date.now()
  }

  onTestModuleEnd(file) {
    this.running.delete(file.relativeModuleId)
    this.#lastEndAt = Date.now()
  }

  onTestRunEnd() {
    clearInterval(this.#timer)
  }

  async #look() {
    if (Date.now() - this.#lastEndAt < patienceMs) return
    // A worker that is started next may hang too.
    this.#lastEndAt = Date.now()
    const started = childrenOf(process.pid, listProcesses())
    const workers = started.filter(({ line }) => worker.test(line))
    console.log(`\nNo test has ended for ${patienceMs / 1000} s. What runs:`)
    for (const name of this.running) console.log(`  ${name}`)
    console.log('The processes (id, parent, state, seconds, where the kernel waits, command):')
    for (const { line } of started) console.log(`  ${line}`)
    // Without its workers Vitest ends by itself; if it has none, it hangs itself.
    if (workers.length === 0) process.exit(1)
    for (const { pid } of workers) {
      console.log(`The JavaScript of ${pid}:\n${await stackOf(pid)}`)
      // One by one: all would offer their debugger at the same port.
      for (const one of [pid, ...childrenOf(pid, started).map((child) => child.pid)]) send(one, 'SIGKILL')
    }
  }
}

const nameOf = (test) => `${test.module.relativeModuleId} > ${test.fullName}`

function listProcesses() {
  const columns = ['pid=', 'ppid=', 'stat=', 'etimes=', 'wchan:24=', 'args=']
  const table = execFileSync('ps', ['-ww', '-eo', columns.join(',')], { encoding: 'utf8', timeout: 30_000 })
  return table
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number)
      return { pid, parent, line }
    })
}

/** With theirs. */
function childrenOf(parent, processes) {
  const own = processes.filter((one) => one.parent === parent)
  return own.flatMap((one) => [one, ...childrenOf(one.pid, processes)])
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended with its parent.
  }
}

/** Asks the debugger that Node opens at SIGUSR1, even in a process that never returns to its event loop. */
async function stackOf(pid) {
  send(pid, 'SIGUSR1')
  await wait(1_000)
  const files = new Map()
  let socket
  try {
    const list = await fetch('http://127.0.0.1:9229/json/list', { signal: AbortSignal.timeout(5_000) })
    const [{ webSocketDebuggerUrl }] = await list.json()
    socket = new WebSocket(webSocketDebuggerUrl)
    const frames = new Promise((resolve, reject) => {
      socket.onerror = reject
      socket.onopen = () => {
        for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries())
          socket.send(JSON.stringify({ id, method }))
      }
      socket.onmessage = ({ data }) => {
        const { method, params } = JSON.parse(data)
        if (method === 'Debugger.scriptParsed') files.set(params.scriptId, params.url)
        if (method === 'Debugger.paused') resolve(params.callFrames)
      }
    })
    const found = await Promise.race([frames, wait(10_000, [], { ref: false })])
    if (found.length === 0) return '  none: it waits for an event'
    return found
      .map(({ functionName, location: { scriptId, lineNumber } }) => {
        return `  ${functionName || 'anonymous'} ${files.get(scriptId)}:${lineNumber + 1}`
      })
      .join('\n')
  } catch (error) {
    return `  unknown, because it has no debugger (${error.message ?? error.type}): it waits in a system call`
  } finally {
    socket?.close()
  }
}
