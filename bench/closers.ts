// Stops what a benchmark started in reverse order, also after an error or a signal.

export class Closers {
  readonly #closers: (() => Promise<unknown> | unknown)[] = []

  constructor() {
    const stop = async () => {
      await this.close()
      process.exit(1)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  }

  add(close: () => Promise<unknown> | unknown): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }
}
