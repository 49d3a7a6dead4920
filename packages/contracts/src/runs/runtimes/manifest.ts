import type { runtimeIds } from '../runtime-ids.ts'

export const runtimeStages = ['ALPHA', 'BETA', 'CURRENT', 'DEPRECATED', 'REMOVED', 'STABLE'] as const

/** What a script of this runtime finds: a Node.js and the packages it may import. */
export interface RuntimeManifest {
  name: (typeof runtimeIds)[number]
  stage: (typeof runtimeStages)[number]
  /** month/day/year. choice: where Node.js still maintains the line, the day it stops; else a day of ours. */
  runtimeEndOfLife: string
  description: string
  nodeJsVersion: string
  multiStepSupport: boolean
  /** Every name that an import may use; http and https stand for Node's own. */
  dependencies: Record<string, string>
}
