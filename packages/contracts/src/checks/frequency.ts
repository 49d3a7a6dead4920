// How often a check runs, and when within its period (spec §4.8).
import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'

const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const

/** Minutes between runs; 0 means every `frequencyOffset` seconds. */
export const MonitorFrequency = z.literal([0, ...minutes])

export const ScriptFrequency = z.literal([...minutes])

export const AgenticFrequency = z.literal([5, 10, 15, 30, 60, 120, 180, 360, 720, 1440])

/** Steps of 6 seconds up to a frequency of an hour, of one hour above; seconds between runs at frequency 0. */
export const FrequencyOffset = z.int().min(1).max(600)

const highFrequencySeconds = [10, 20, 30]

export function frequencyIssues(frequency: unknown, offset: unknown): FieldIssue[] {
  if (typeof frequency !== 'number') return []
  const path = ['frequencyOffset']
  if (frequency === 0) {
    if (typeof offset === 'number' && highFrequencySeconds.includes(offset)) return []
    return [{ path, message: 'must be one of 10, 20, 30 (seconds) when frequency is 0' }]
  }
  if (typeof offset !== 'number') return []
  const highest = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60)
  if (offset >= 1 && offset <= highest) return []
  return [{ path, message: `must be between 1 and ${highest} when frequency is ${frequency}` }]
}
