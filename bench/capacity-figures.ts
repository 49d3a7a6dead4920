// The figures of the capacity bench as text, and the file that `vedette capacity` reads.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { CheckType } from '@vedette/contracts'
import type { CapacityFigures, RunFigures } from '@vedette/server/capacity-figures'
import type pg from 'pg'
import type { MeasuredType } from './capacity-checks.ts'
import { median } from './load.ts'

export type FiguresByType = Partial<Record<CheckType, RunFigures>>

/** Servers and PostgreSQL do the same for results of all types: those of slow types get the median of the others. */
export function replaceUncertain(figures: FiguresByType, types: readonly MeasuredType[]): void {
  const ofTypes = (isSlow: boolean) =>
    types.flatMap((one) => (one.isSlow === isSlow ? (figures[one.type] ?? []) : []))
  const serverMicros = median(ofTypes(false).map((one) => one.serverMicros))
  const storeMicros = median(ofTypes(false).map((one) => one.storeMicros))
  for (const one of ofTypes(true)) Object.assign(one, { serverMicros, storeMicros })
}

export function runText(type: CheckType, figures: RunFigures): string {
  const values = Object.entries(rounded(figures)).map(([name, value]) => `${name} ${value ?? '-'}`)
  return `${type.padEnd(11)} ${values.join(', ')}`
}

export function idleText({ agent, server, store }: CapacityFigures['idle']): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  return `idle: agent ${percent(agent)}, server ${percent(server)}, PostgreSQL ${percent(store)} of a core`
}

/** `batch`: network checks that were due at the same time. */
export async function circumstances(store: pg.Client, batch: number): Promise<CapacityFigures['measured']> {
  const { rows } = await store.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  return {
    on: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    load: round(loadavg()[2] ?? 0, 1),
    node: process.version,
    postgres: rows[0]?.version ?? '',
    batch,
  }
}

export function writeFigures(figures: CapacityFigures): void {
  const types = Object.fromEntries(
    Object.entries(figures.types).map(([type, measured]) => [type, rounded(measured)]),
  )
  const written = { ...figures, idle: rounded(figures.idle), types }
  const text = [
    '// Written by npm run bench -- capacity; do not edit.',
    "import type { CapacityFigures } from './figures.ts'",
    '',
    `export const capacityFigures: CapacityFigures = ${JSON.stringify(written, null, 2)}`,
    '',
  ].join('\n')
  writeFileSync(
    fileURLToPath(new URL('../packages/server/src/operate/capacity/figures.generated.ts', import.meta.url)),
    text,
  )
  console.log('written; run npm run generate')
}

function rounded(values: object): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null ? null : round(value, value < 10 ? 3 : 0),
    ]),
  )
}

export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}
