// An output file of a run, before it is scrubbed and uploaded.
import type { assetTypes } from '@vedette/contracts'

export interface OutputFile {
  type: (typeof assetTypes)[number]
  /** The name in results: a relative path with slashes, unique within the run. */
  name: string
  /** On this machine. Open it without following links: the run could have created one. */
  path: string
  contentType: string
}
