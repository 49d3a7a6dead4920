// Waits for killed processes, and kills processes by their user or their environment.
import { readdir, readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const endMs = 10_000

export async function waitForExit(pid: number): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(5)) {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (status === null || / Z /.test(status.slice(status.lastIndexOf(')')))) return
  }
}

/** Without a namespace: processes that left the process group still have the user, which only this cell uses. */
export function killUserProcesses(uid: number): Promise<void> {
  return killEach((pid) =>
    stat(`/proc/${pid}`).then(
      (found) => found.uid === uid,
      () => false,
    ),
  )
}

/** Without a user of its own: by an environment value that only this cell has. A process that removed it survives. */
export function killByEnvironment(value: string): Promise<void> {
  return killEach((pid) =>
    readFile(`/proc/${pid}/environ`, 'latin1').then(
      (environment) => environment.split('\0').some((pair) => pair.endsWith(`=${value}`)),
      () => false,
    ),
  )
}

async function killEach(isOwn: (pid: string) => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(20)) {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
    const areOwn = await Promise.all(pids.map(async (pid) => (await isAlive(pid)) && (await isOwn(pid))))
    const own = pids.filter((_pid, index) => areOwn[index])
    if (own.length === 0) return
    for (const pid of own) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
  }
}

/** Zombies hold no resources; their parent may not have reaped them yet. */
async function isAlive(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return status !== null && !/^ [ZX] /.test(status.slice(status.lastIndexOf(')') + 1))
}
