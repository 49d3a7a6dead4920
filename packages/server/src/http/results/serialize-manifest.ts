// The list of a result's files: some are derived from its evidence, others were uploaded.
import { type AssetManifest, type AssetQuery, resultAssets } from '@vedette/contracts'
import type { z } from 'zod'
import { captureOf, type ResultDetail } from './result-detail.ts'
import type { ResultFileLink } from './result-files.ts'

type Manifest = z.output<typeof AssetManifest>
type Kind = keyof typeof resultAssets

const isAvailable = {
  log: ({ jobLog }) => jobLog !== null,
  runData: () => true,
  capture: (detail) => captureOf(detail) !== null,
} satisfies Record<Kind, (detail: ResultDetail) => boolean>

/** `folder`: the path, relative to this server, of the files that are derived from the evidence. */
export function serializeManifest(
  detail: ResultDetail | null,
  files: readonly ResultFileLink[],
  folder: string,
  source: Manifest['assets'][number]['source'],
  filter: z.output<typeof AssetQuery>,
): Manifest {
  const kinds = (['log', 'runData', 'capture'] as const).filter(
    (kind) => detail !== null && isAvailable[kind](detail),
  )
  const known = kinds.map((kind) => ({
    ...resultAssets[kind],
    url: `${folder}/${resultAssets[kind].name}`,
    source,
  }))
  const assets = [...known, ...files.map((file) => ({ ...file, source }))].filter(
    ({ type, name }) => type === (filter.type ?? type) && name === (filter.name ?? name),
  )
  return { assets, truncated: false, entriesReturned: assets.length, entriesTotal: assets.length }
}
