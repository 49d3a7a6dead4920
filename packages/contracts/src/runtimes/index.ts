// Every runtime, newest first.
import { runtime202210 } from './2022-10.ts'
import { runtime202302 } from './2023-02.ts'
import { runtime202309 } from './2023-09.ts'
import { runtime202402 } from './2024-02.ts'
import { runtime202409 } from './2024-09.ts'
import { runtime202504 } from './2025-04.ts'
import { runtime202604 } from './2026-04.ts'
import type { RuntimeManifest } from './manifest.ts'

export const runtimes: RuntimeManifest[] = [
  runtime202604,
  runtime202504,
  runtime202409,
  runtime202402,
  runtime202309,
  runtime202302,
  runtime202210,
]
