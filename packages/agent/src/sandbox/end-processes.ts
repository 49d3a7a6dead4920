// Waits for processes that were killed, and kills those that are known only by their user or by what they were started with.
import { readdir, readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const endMs = 10_000

export async function gone(pid: number): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(5)) {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (status === null || / Z /.test(status.slice(status.lastIndexOf(')')))) return
  }
}

/** Without a namespace, what left the process group is known by its user, which only this cell has. */
export function endAllOf(uid: number): Promise<void> {
  return endEach((pid) =>
    stat(`/proc/${pid}`).then(
      (found) => found.uid === uid,
      () => false,
    ),
  )
}

/** Without a user either, by a value in its environment that only this cell has. Who throws that away stays. */
export function endAllWith(value: string): Promise<void> {
  return endEach((pid) =>
    readFile(`/proc/${pid}/environ`, 'latin1').then(
      (environment) => environment.split('\0').some((pair) => pair.endsWith(`=${value}`)),
      () => false,
    ),
  )
}

async function endEach(isOwn: (pid: string) => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(20)) {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
    const areOwn = await Promise.all(pids.map(async (pid) => (await isAlive(pid)) && (await isOwn(pid))))
    const own = pids.filter((_pid, index) => areOwn[index])
    if (own.length === 0) return
    for (const pid of own) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
  }
}

/** The dead hold nothing; who has to bury them may be someone else. */
async function isAlive(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return status !== null && !/^ [ZX] /.test(status.slice(status.lastIndexOf(')') + 1))
}
