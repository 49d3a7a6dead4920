// What the machine's processors did so far. Other machines on the same hardware take some of their time.
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

export interface MachineTime {
  /** No process wanted it; waiting for the disk included. */
  idleSeconds: number
  /** Processes wanted it, and other machines had it. */
  stolenSeconds: number
  seconds: number
}

export function machineTime(): MachineTime {
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/) ?? []
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, interrupts = 0, soft = 0, stolen = 0] =
    fields.map((ticks) => Number(ticks) / ticksPerSecond)
  const seconds = user + nice + system + idle + disk + interrupts + soft + stolen
  return { idleSeconds: idle + disk, stolenSeconds: stolen, seconds }
}

/** Of the time of all processors. */
const disturbingShare = 0.1
const attempts = 4

/** Repeats measurements that other machines disturbed, a few times at most. */
export class UndisturbedMeasurements {
  #repeated = 0
  #disturbed = 0

  async measure<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const before = machineTime()
      const measured = await once()
      const after = machineTime()
      const stolen = (after.stolenSeconds - before.stolenSeconds) / (after.seconds - before.seconds)
      if (stolen <= disturbingShare) return measured
      if (attempt === attempts) {
        this.#disturbed += 1
        return measured
      }
      this.#repeated += 1
    }
  }

  describe(): string {
    return `other machines took more than ${100 * disturbingShare} % of the processors: ${this.#repeated} measurements repeated, ${this.#disturbed} counted nevertheless`
  }
}
