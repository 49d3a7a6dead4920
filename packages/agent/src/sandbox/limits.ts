// Resource limits of scripts of API checks.

export const scriptLimits = {
  /** Of each script. */
  timeoutMs: 10_000,
  /** From spawning a child to its first message. */
  startMs: 15_000,
  /** Of a message: what is passed, with every character escaped, and the variables. */
  maxLineBytes: 2_000_000,
  /** Total output of a child while one script runs. */
  maxOutputBytes: 8_000_000,
  maxLogLines: 1_000,
  maxLogBytes: 256 * 1024,
  maxLogLineChars: 10_000,
  heapMb: 256,
  /** Buffers are outside the heap limit: the watchdog and the data limit count them. */
  residentBytes: 512 * 1024 * 1024,
  /** Threads of one child: Node needs about a dozen, a script could start 1,024 (UV_THREADPOOL_SIZE). */
  threads: 128,
  /** If the child runs as the agent's user: before Linux 5.14 all processes of that user count together. */
  threadsOfAgent: 1_024,
  /** Stops a child even if the agent can't. */
  cpuSeconds: 120,
  openFiles: 256,
  /** Connections of one run: concurrently, in total, and bytes over all of them. */
  maxOpenConnections: 32,
  maxConnections: 200,
  maxTransferredBytes: 50_000_000,
}

export type ScriptLimits = typeof scriptLimits
