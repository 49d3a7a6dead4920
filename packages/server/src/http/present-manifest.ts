// The files that a result left, of whichever kind it is: what there is follows from its evidence.
import { type AssetManifest, type AssetQuery, resultAssets } from '@vedette/contracts'
import type { z } from 'zod'
import { captureOf, type ResultDetail } from './result-detail.ts'

type Manifest = z.output<typeof AssetManifest>
type Kind = keyof typeof resultAssets

const isKept: Record<Kind, (detail: ResultDetail) => boolean> = {
  log: ({ jobLog }) => jobLog !== null,
  runData: () => true,
  capture: (detail) => captureOf(detail) !== null,
}

/** `folder`: where the files can be fetched, relative to this server. */
export function presentManifest(
  detail: ResultDetail | null,
  folder: string,
  source: Manifest['assets'][number]['source'],
  asked: z.output<typeof AssetQuery>,
): Manifest {
  const kinds = (Object.keys(resultAssets) as Kind[]).filter(
    (kind) => detail !== null && isKept[kind](detail),
  )
  const assets = kinds
    .map((kind) => ({ ...resultAssets[kind], url: `${folder}/${resultAssets[kind].name}`, source }))
    .filter(({ type, name }) => type === (asked.type ?? type) && name === (asked.name ?? name))
  return { assets, truncated: false, entriesReturned: assets.length, entriesTotal: assets.length }
}
