import { Choice, NumberInput } from '../../forms/fields.tsx'
import { PingCommands } from '../../parts/ping-commands.tsx'
import type { PartProps } from './parts.ts'

const units = ['seconds', 'minutes', 'hours', 'days'].map((value) => ({ value, label: value }))

export function HeartbeatPart({ form, pingUrl }: PartProps) {
  return (
    <>
      <div className="field-row">
        <NumberInput form={form} path="heartbeat.period" label="A ping every" min={0} step="any" />
        <Choice form={form} path="heartbeat.periodUnit" label="Unit of the period" options={units} />
      </div>
      <div className="field-row">
        <NumberInput form={form} path="heartbeat.grace" label="May be late by" min={0} step="any" />
        <Choice form={form} path="heartbeat.graceUnit" label="Unit of the grace time" options={units} />
      </div>
      {pingUrl === null ? (
        <p className="muted-text">The ping URL is made when the monitor is saved.</p>
      ) : (
        <PingCommands url={pingUrl} />
      )}
    </>
  )
}
