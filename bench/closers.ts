// Stops what a benchmark started in reverse order, also after an error or a signal.

/** All of this process, the newest last: those of a part of a benchmark end before those of the whole. */
const all: Closers[] = []

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    for (const closers of all.toReversed()) await closers.close()
    process.exit(1)
  })
}

export class Closers {
  readonly #closers: (() => Promise<unknown> | unknown)[] = []

  constructor() {
    all.push(this)
  }

  add(close: () => Promise<unknown> | unknown): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }
}
