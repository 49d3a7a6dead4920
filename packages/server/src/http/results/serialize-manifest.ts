// The files that a result left, of whichever kind it is: some follow from its evidence, the others were uploaded.
import { type AssetManifest, type AssetQuery, resultAssets } from '@vedette/contracts'
import type { z } from 'zod'
import { captureOf, type ResultDetail } from './result-detail.ts'
import type { ResultFileLink } from './result-files.ts'

type Manifest = z.output<typeof AssetManifest>
type Kind = keyof typeof resultAssets

const isKept: Record<Kind, (detail: ResultDetail) => boolean> = {
  log: ({ jobLog }) => jobLog !== null,
  runData: () => true,
  capture: (detail) => captureOf(detail) !== null,
}

/** `folder`: where what follows from the evidence can be fetched, relative to this server. */
export function serializeManifest(
  detail: ResultDetail | null,
  files: readonly ResultFileLink[],
  folder: string,
  source: Manifest['assets'][number]['source'],
  asked: z.output<typeof AssetQuery>,
): Manifest {
  const kinds = (Object.keys(resultAssets) as Kind[]).filter(
    (kind) => detail !== null && isKept[kind](detail),
  )
  const known = kinds.map((kind) => ({
    ...resultAssets[kind],
    url: `${folder}/${resultAssets[kind].name}`,
    source,
  }))
  const assets = [...known, ...files.map((file) => ({ ...file, source }))].filter(
    ({ type, name }) => type === (asked.type ?? type) && name === (asked.name ?? name),
  )
  return { assets, truncated: false, entriesReturned: assets.length, entriesTotal: assets.length }
}
