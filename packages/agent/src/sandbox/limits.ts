// What a script may use. The numbers stand here and nowhere else.

export const scriptLimits = {
  /** Each script, from the moment it is handed over. */
  timeoutMs: 10_000,
  /** From spawning a child to its first word. */
  startMs: 15_000,
  /** What a script is given of the request and response, and what it may give back (wire facts: 256 kB). */
  maxPassedBytes: 256 * 1024,
  /** One line of the channel: what is passed, with every character escaped, and the variables. */
  maxLineBytes: 2_000_000,
  /** All that a child may say while one script runs. */
  maxSaidBytes: 8_000_000,
  maxLogLines: 1_000,
  maxLogBytes: 256 * 1024,
  maxLogLineChars: 10_000,
  heapMb: 256,
  /** Buffers are outside of the heap's limit: the watchdog and the data limit count them. */
  residentBytes: 512 * 1024 * 1024,
  dataBytes: 1_536 * 1024 * 1024,
  /** Threads of one child: Node needs about a dozen, a script could ask for 1,024 (UV_THREADPOOL_SIZE). */
  threads: 128,
  /** Where the child has the user of the agent: before Linux 5.14 all processes of that user are counted together. */
  threadsOfAgent: 1_024,
  /** Against a child that outlives everybody who could stop it. */
  cpuSeconds: 120,
  openFiles: 256,
  /** Connections of one run: at once, in all, and the bytes over all of them. */
  maxOpenConnections: 32,
  maxConnections: 200,
  maxTransferredBytes: 50_000_000,
}

export type ScriptLimits = typeof scriptLimits
