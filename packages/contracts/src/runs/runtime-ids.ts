import { z } from 'zod'

/** spec §2.2: newest first. */
export const runtimeIds = [
  '2026.04',
  '2025.04',
  '2024.09',
  '2024.02',
  '2023.09',
  '2023.02',
  '2022.10',
] as const

export const RuntimeId = z.enum(runtimeIds)

export type RuntimeId = z.output<typeof RuntimeId>

export const defaultRuntimeId = '2026.04'
