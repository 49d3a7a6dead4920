// GET /metrics of an agent, in the Prometheus text format. Nothing about checks and accounts. Pure.

export interface AgentFigures {
  version: string
  isReady: boolean
  isServerReachable: boolean
  isJournalWritable: boolean
  undelivered: number
  /** Null: no server has responded yet. */
  clockOffsetMs: number | null
  slots: Readonly<Record<'network' | 'code', number>>
  running: number
  bodyMemoryBytes: number
  residentBytes: number
  cpuSeconds: number
  startedAtSeconds: number
}

type Sample = [labels: string, value: number]

export function renderAgentMetrics(figures: AgentFigures): string {
  const families: [name: string, type: 'gauge' | 'counter', help: string, samples: Sample[]][] = [
    ['vedette_agent_info', 'gauge', 'The version of the agent.', [[`{version="${figures.version}"}`, 1]]],
    ['vedette_agent_ready', 'gauge', '0 while the agent drains.', [['', Number(figures.isReady)]]],
    [
      'vedette_agent_server_up',
      'gauge',
      'Whether the last call to a server succeeded.',
      [['', Number(figures.isServerReachable)]],
    ],
    [
      'vedette_agent_journal_up',
      'gauge',
      'Whether results can be journaled; without, nothing is claimed.',
      [['', Number(figures.isJournalWritable)]],
    ],
    [
      'vedette_agent_results_undelivered',
      'gauge',
      "Results that no server has acknowledged yet, by the agent's journal.",
      [['', figures.undelivered]],
    ],
    [
      'vedette_agent_clock_offset_seconds',
      'gauge',
      "The server's clock minus the agent's.",
      figures.clockOffsetMs === null ? [] : [['', figures.clockOffsetMs / 1000]],
    ],
    [
      'vedette_agent_max_runs',
      'gauge',
      'Runs that the agent makes at once, by kind.',
      Object.entries(figures.slots).map(([kind, slots]) => [`{kind="${kind}"}`, slots]),
    ],
    ['vedette_agent_runs_in_progress', 'gauge', 'Runs in progress.', [['', figures.running]]],
    [
      'vedette_agent_body_memory_bytes',
      'gauge',
      'Memory of response bodies (BODY_MEMORY_MB).',
      [['', figures.bodyMemoryBytes]],
    ],
    ['process_cpu_seconds_total', 'counter', 'Processor time of this process.', [['', figures.cpuSeconds]]],
    ['process_resident_memory_bytes', 'gauge', 'Memory of this process.', [['', figures.residentBytes]]],
    [
      'process_start_time_seconds',
      'gauge',
      'When this process started.',
      [['', Math.round(figures.startedAtSeconds * 1000) / 1000]],
    ],
  ]
  return families
    .flatMap(([name, type, help, samples]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
    ])
    .join('\n')
    .concat('\n')
}
