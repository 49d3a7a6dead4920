// Root-cause analyses that were asked for, made by the rules alone.
import { runAnalyses } from '../rca/run-analyses.ts'
import type { TestApi } from './api.ts'

export async function completeAnalyses(api: TestApi, now: number): Promise<void> {
  await runAnalyses({ ...api, publicUrl: 'http://vedette.test', model: null, now: () => now })
}
