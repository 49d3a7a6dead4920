// Resource limits of browser and multi-step checks, and of suites.
import type { CellLimits } from './cell.ts'

const mebi = 1024 * 1024

/** Wire facts 7: 2.7 GiB of memory. */
export const codeLimits: CellLimits = {
  memoryBytes: 2_765 * mebi,
  diskBytes: 1_024 * mebi,
  temporaryBytes: 512 * mebi,
  processes: 512,
  openFiles: 4_096,
  cpuSeconds: 300,
  maxOpenConnections: 256,
  maxConnections: 5_000,
  maxTransferredBytes: 1_024 * mebi,
}

/** Wire facts 7: 6.8 GiB, and packages to install. */
export const suiteLimits: CellLimits = {
  ...codeLimits,
  memoryBytes: 6_963 * mebi,
  diskBytes: 4_096 * mebi,
  temporaryBytes: 1_024 * mebi,
  processes: 2_048,
  openFiles: 16_384,
  cpuSeconds: 7_200,
  maxConnections: 100_000,
  maxTransferredBytes: 8_192 * mebi,
}
