// CPU time of a process and all its descendants, by kind, also of those that have ended. Reads /proc at intervals: the machine may be
// busy with other work.
import { readdirSync, readFileSync } from 'node:fs'

const msPerTick = 10
const everyMs = 25

interface Seen {
  parent: string | null
  kind: string
  /** User and system time. */
  ownMs: number
  /** Of its ended children that it waited for, with theirs. */
  reapedMs: number
  isAlive: boolean
  /** Running, or waiting for a core. */
  isRunnable: boolean
}

export type CpuByKind = ReadonlyMap<string, number>

export class ProcessCpu {
  readonly #root: number
  readonly #kindOf: (command: string) => string
  readonly #seen = new Map<string, Seen>()
  readonly #timer: NodeJS.Timeout

  constructor(root: number, kindOf: (command: string) => string) {
    this.#root = root
    this.#kindOf = kindOf
    this.#sample()
    this.#timer = setInterval(() => this.#sample(), everyMs)
  }

  /** So far; ended processes too. */
  read(): CpuByKind {
    this.#sample()
    const children = new Map<string, string[]>()
    for (const [key, { parent }] of this.#seen)
      if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), key])
    const sums = new Map<string, number>()
    const add = (kind: string, ms: number) => sums.set(kind, (sums.get(kind) ?? 0) + ms)
    const total = (key: string): number => {
      const { kind, ownMs, reapedMs, isAlive } = this.#seen.get(key) as Seen
      let ended = 0
      let alive = 0
      for (const child of children.get(key) ?? []) {
        const sum = total(child)
        if (this.#seen.get(child)?.isAlive) alive += sum
        else ended += sum
      }
      add(kind, ownMs)
      // What was too short for a sample, and the last moments of the others.
      const missed = Math.max(0, reapedMs - ended)
      add(isAlive || missed > 0 ? `${kind}, short-lived children` : kind, missed)
      return ownMs + alive + ended + missed
    }
    for (const [key, { parent }] of this.#seen) if (parent === null) total(key)
    return sums
  }

  /** On a busy machine, processes that wait for a core use no CPU either. */
  get isBusy(): boolean {
    return [...this.#seen.values()].some(({ isAlive, isRunnable }) => isAlive && isRunnable)
  }

  stop(): CpuByKind {
    clearInterval(this.#timer)
    return this.read()
  }

  #sample(): void {
    const processes = readProcesses()
    const keys = new Map(processes.map(({ pid, key }) => [pid, key]))
    const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]))
    const isDescendant = (pid: number): boolean =>
      pid === this.#root || (pid > 1 && isDescendant(parents.get(pid) ?? 0))
    for (const one of this.#seen.values()) one.isAlive = false
    for (const { pid, key, parent, ownMs, reapedMs, isRunnable } of processes) {
      const known = this.#seen.get(key)
      if (!known && !isDescendant(pid)) continue
      this.#seen.set(key, {
        // An orphan gets another parent: the first one counts.
        parent: known ? known.parent : pid === this.#root ? null : (keys.get(parent) ?? null),
        // A process changes its command when it executes a program.
        kind: this.#kindOf(commandOf(pid)) || known?.kind || 'other',
        ownMs,
        reapedMs,
        isAlive: true,
        isRunnable,
      })
    }
  }
}

function readProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const at = (field: number) => Number(fields[field])
        return [
          {
            pid: Number(name),
            key: `${name}-${fields[19]}`,
            parent: at(1),
            ownMs: (at(11) + at(12)) * msPerTick,
            reapedMs: (at(13) + at(14)) * msPerTick,
            isRunnable: fields[0] === 'R' || fields[0] === 'D',
          },
        ]
      } catch {
        return []
      }
    })
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export const sumOf = (cpu: CpuByKind) => [...cpu.values()].reduce((sum, ms) => sum + ms, 0)

export function differenceOf(after: CpuByKind, before: CpuByKind): CpuByKind {
  return new Map([...after].map(([kind, ms]) => [kind, ms - (before.get(kind) ?? 0)]))
}
