// GET /metrics of an agent, in the Prometheus text format. Nothing about checks and accounts. Pure.

const help = {
  vedette_agent_info: 'The version of the agent.',
  vedette_agent_ready: '0 while the agent drains.',
  vedette_agent_server_up: 'Whether the last call to a server succeeded.',
  vedette_agent_journal_up: 'Whether results can be journaled; without, nothing is claimed.',
  vedette_agent_results_undelivered: "Results that no server has acknowledged yet, by the agent's journal.",
  vedette_agent_clock_offset_seconds: "The server's clock minus the agent's.",
  vedette_agent_max_runs: 'Runs that the agent makes at once, by kind.',
  vedette_agent_runs_in_progress: 'Runs in progress.',
  vedette_agent_body_memory_bytes: 'Memory of response bodies (BODY_MEMORY_MB).',
  process_cpu_seconds_total: 'Processor time of this process.',
  process_resident_memory_bytes: 'Memory of this process.',
  process_start_time_seconds: 'When this process started.',
}

/** An object: samples by their labels; null: not known yet. */
type Figure = number | Record<string, number> | null

export function renderAgentMetrics(figures: Record<keyof typeof help, Figure>): string {
  const byName: Record<string, Figure> = figures
  const lines = Object.entries(help).flatMap(([name, text]) => {
    const figure = byName[name]
    const samples = typeof figure === 'number' ? { '': figure } : (figure ?? {})
    return [
      `# HELP ${name} ${text}`,
      `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`,
      ...Object.entries(samples).map(([labels, value]) => `${name}${labels} ${value}`),
    ]
  })
  return `${lines.join('\n')}\n`
}
