import type { runtimeIds } from '../runtime-ids.ts'

export const runtimeStages = ['ALPHA', 'BETA', 'CURRENT', 'DEPRECATED', 'REMOVED', 'STABLE'] as const

/** The Node.js version and the packages of a runtime. */
export interface RuntimeManifest {
  name: (typeof runtimeIds)[number]
  stage: (typeof runtimeStages)[number]
  /** month/day/year. choice: the end of life of the Node.js version; if that has passed, a later day. */
  runtimeEndOfLife: string
  description: string
  nodeJsVersion: string
  multiStepSupport: boolean
  /** All packages that scripts can import; http and https are those of Node.js. */
  dependencies: Record<string, string>
}
