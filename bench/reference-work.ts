// How much CPU a fixed piece of work takes while something else is measured. The same work takes up to twice as much when the other
// thread of a core is busy, or other machines are; costs of different minutes can be compared after division by it.

const everyMs = 250

const rows = Array.from({ length: 2_000 }, (_, index) => ({
  id: `check-${(index * 7_919) % 2_000}`,
  tags: ['production', 'website'],
  text: 'x'.repeat(index % 40),
}))

/** Starts at once. */
export class ReferenceWork {
  #count = 0
  #totalMs = 0
  readonly #timer = setInterval(() => {
    this.#count += 1
    this.#totalMs += cpuMsOfWork()
  }, everyMs)

  /** CPU of one piece in ms: the mean, because what is measured was disturbed on average too. */
  stop(): number {
    clearInterval(this.#timer)
    if (this.#count === 0) throw new Error(`measured for less than ${everyMs} ms`)
    return this.#totalMs / this.#count
  }
}

/** The first ones are slower: V8 compiles them. */
export function warmReferenceWork(): void {
  for (let count = 0; count < 100; count++) cpuMsOfWork()
}

function cpuMsOfWork(): number {
  const before = process.cpuUsage()
  const read: typeof rows = JSON.parse(JSON.stringify(rows))
  const byId = new Map(read.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => [row.id, row]))
  if (byId.size !== rows.length) throw new Error('ids must be unique')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
