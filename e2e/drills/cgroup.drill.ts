// npm run drill -- cgroup: needs root and Debian. The kernel's limits of runs, in a virtual machine with cgroup v2.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInMachine } from './cgroup/machine.ts'

const guest = fileURLToPath(
  new URL('../../packages/agent/src/sandbox/run-groups.fixture.ts', import.meta.url),
)
const began = Date.now()
const folder = mkdtempSync(join(tmpdir(), 'vedette-machine-'))
try {
  const exitCode = await runInMachine({
    argv: [process.execPath, '--disable-warning=ExperimentalWarning', guest],
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    folder,
    timeoutMs: 540_000,
    onLine: console.log,
  })
  if (exitCode === null) console.error('fault: the machine did not finish in time')
  process.exitCode = exitCode ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`cgroup: ${Math.round((Date.now() - began) / 1_000)} s`)
