// What `npm run bench -- capacity` measures.
import type { CheckType } from '@vedette/contracts'

/** Of one run; CPU in microseconds. */
export interface RunFigures {
  agentMicros: number
  serverMicros: number
  storeMicros: number
  /** On disk, with indexes. */
  resultBytes: number
  detailBytes: number
  /** Traces, screenshots, videos. */
  artifactBytes: number
  walBytes: number
  /** Between agent and server, both directions, without headers of TCP and IP. */
  linkBytes: number
  /** Between agent and target; null: not counted. */
  targetBytes: number | null
  runSeconds: number
}

/** Written by `npm run bench -- capacity`. */
export interface CapacityFigures {
  measured: {
    on: string
    cpu: string
    cores: number
    /** The load average of 15 minutes: on a busy machine CPU figures are somewhat too high. */
    load: number
    node: string
    postgres: string
    /** Network checks that were due at the same time. */
    batch: number
  }
  /** CPU without runs, as a share of a core. */
  idle: Readonly<Record<'agent' | 'server' | 'store', number>>
  memory: Readonly<Record<'serverMb' | 'agentMb' | 'postgresMb' | 'codeRunMb', number>>
  /** Of one check in one location: CPU of rolling up an hour with 60 runs, bytes of an hour with its coverage, and of a day. */
  rollup: Readonly<Record<'serverMicros' | 'storeMicros' | 'hourBytes' | 'dayBytes', number>>
  types: Readonly<Partial<Record<CheckType, RunFigures>>>
}
