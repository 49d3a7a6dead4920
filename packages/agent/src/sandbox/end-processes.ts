// Waits for processes that were killed, and kills those that are known by their user only.
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
export async function endAllOf(uid: number): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(20)) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const owners = await Promise.all(pids.map(ownerOf))
    const own = pids.filter((_pid, index) => owners[index] === uid)
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

async function ownerOf(pid: string): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The dead hold nothing; who has to bury them may be someone else.
  if (/^ [ZX] /.test(status.slice(status.lastIndexOf(')') + 1))) return null
  return stat(`/proc/${pid}`).then(
    ({ uid }) => uid,
    () => null,
  )
}
