// How to start an agent: one command for each way.
import { useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { type AgentWay, agentCommand, agentWays } from '../../core/agent-commands.ts'
import { CopyButton } from '../../parts/copy-button.tsx'

interface AgentGuideProps {
  /** Null: it has to be filled in. */
  apiKey: string | null
  /** Of a data-center location. */
  region: string | null
}

const needs: Record<AgentWay, string> = {
  npx: 'Needs Node 20 or later. The results wait in ./agent-data while the server can’t be reached.',
  Docker:
    'Build the image once: docker build --target agent-browser --tag vedette-agent . (--target agent is smaller and runs no code).',
  systemd: 'Needs a checkout in /opt/vedette, with its packages installed.',
}

export function AgentGuide({ apiKey, region }: AgentGuideProps) {
  const [way, setWay] = useState<AgentWay>('npx')
  const command = agentCommand(way, { serverUrl: location.origin + basePath, apiKey, region })
  return (
    <div className="stack">
      <fieldset className="agent-ways">
        <legend className="unseen">How to start it</legend>
        {agentWays.map((one) => (
          <button
            key={one}
            type="button"
            className="chip"
            aria-pressed={one === way}
            onClick={() => setWay(one)}
          >
            {one}
          </button>
        ))}
      </fieldset>
      <div className="panel command">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
        <pre tabIndex={0}>{command}</pre>
        <CopyButton text={command} label="Copy the command" />
      </div>
      <p className="muted-text">
        {needs[way]} {apiKey === null && keyHint(region)}
      </p>
    </div>
  )
}

function keyHint(region: string | null): string {
  return region === null
    ? 'Put the key of the location in place of pl_…: it was shown when it was created. If it is lost, create another one below.'
    : 'On the server’s machine, npx vedette agent-keys create prints a key for va_…. Only the operator can do that.'
}
