// Exponential backoff with jitter, and with an upper limit that keeps recovery quick.

export function createBackoff({ firstMs = 200, maxMs = 5_000 } = {}, random = Math.random) {
  let tries = 0
  return {
    next(): number {
      const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(tries, 30))
      tries += 1
      return ceiling / 2 + (random() * ceiling) / 2
    },
    reset(): void {
      tries = 0
    },
  }
}
