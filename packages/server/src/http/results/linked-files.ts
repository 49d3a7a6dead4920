import { type CheckType, isCodeType } from '@vedette/contracts'
import { type Deps, publicUrl } from '../transport/deps.ts'
import { listResultFiles } from './result-files.ts'
import type { ResultFile } from './serialize-code-result.ts'

/** What a run of code left, with whole addresses: people follow them from wherever they read the result. */
export async function linkedFiles(
  deps: Pick<Deps, 'store' | 'vault' | 'clock' | 'config'>,
  accountId: string,
  { check_type, detail }: { check_type: string; detail: string | null },
  of: { resultId: string; scheduledAt?: number },
): Promise<ResultFile[]> {
  if (detail === null || !isCodeType(check_type as CheckType)) return []
  const files = await listResultFiles(deps, accountId, of)
  return files.map((file) => ({ ...file, url: publicUrl(deps.config) + file.url }))
}
