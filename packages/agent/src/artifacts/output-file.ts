// A file that a run left, before it is scrubbed and uploaded.
import type { assetTypes } from '@vedette/contracts'

export interface OutputFile {
  type: (typeof assetTypes)[number]
  /** As people see it: a path relative to what the run wrote, with slashes; unique within the run. */
  name: string
  /** On this machine. Whoever reads it follows no link: the run could have put one there. */
  path: string
  contentType: string
}
