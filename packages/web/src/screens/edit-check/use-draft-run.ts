// Runs the definition in the form without storing it.
import { useMutation } from '@tanstack/react-query'
import type { CallInput } from '@vedette/contracts'
import { call, type ResponseTo } from '../../api/call.ts'
import type { Operations } from '../../api/operations.generated.ts'
import type { CheckFields, TypeForm } from '../../forms/schemas/check.ts'

type Started = ResponseTo<'POST /v1/test-sessions/drafts'>
type Body = NonNullable<CallInput<Operations['POST /v1/test-sessions/drafts']>['body']>

interface DraftRunOptions {
  type: TypeForm
  /** The stored check, whose secrets are used where the form has none. */
  checkId?: string | undefined
}

export interface DraftRun {
  start(values: CheckFields): void
  cancel(): void
  close(): void
  started: Started | undefined
  isStarting: boolean
  error: Error | null
}

export function useDraftRun({ type, checkId }: DraftRunOptions): DraftRun {
  const run = useMutation({
    mutationFn: (values: CheckFields) => {
      // The schema of the type has judged it, and the server does again.
      const check = {
        ...type.bodyOf(values),
        checkType: type.type,
        name: values.name || 'Draft',
      } as Body['drafts'][number]['check']
      return call('POST /v1/test-sessions/drafts', {
        body: { drafts: [checkId === undefined ? { check } : { check, checkId }] },
      })
    },
  })
  return {
    start: (values) => run.mutate(values),
    cancel() {
      const { testSessionId } = run.data ?? {}
      if (testSessionId !== undefined)
        void call('POST /v1/test-sessions/{testSessionId}/cancel', { params: { testSessionId } }).catch(
          () => undefined,
        )
    },
    close: () => run.reset(),
    started: run.data,
    isStarting: run.isPending,
    error: run.error,
  }
}
