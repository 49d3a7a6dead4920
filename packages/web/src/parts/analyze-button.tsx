// Asks for the cause of an error, and waits for the analysis.
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { ActionButton } from './button.tsx'
import { reasonOf } from './states.tsx'

const pollMs = 1_000
const longestMs = 2 * 60_000

interface AnalyzeButtonProps {
  start(): Promise<{ id: string }>
  onDone(): void
}

export function AnalyzeButton({ start, onDone }: AnalyzeButtonProps) {
  const { denialOf } = useSession()
  const analysis = useMutation({
    mutationFn: async () => {
      const { id } = await start()
      for (const end = Date.now() + longestMs; Date.now() < end; ) {
        const { status } = await call('GET /v1/root-cause-analyses/{id}', { params: { id } })
        if (status === 'COMPLETED') return
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
      throw new Error('The analysis takes longer than two minutes. It appears here when it is done.')
    },
    onSuccess: onDone,
  })
  return (
    <div>
      <ActionButton
        onPress={() => analysis.mutate()}
        isPending={analysis.isPending}
        denial={denialOf('READ_RUN')}
      >
        {analysis.isPending ? 'Analyzing…' : 'Analyze the cause'}
      </ActionButton>
      {analysis.error && (
        <p className="field-error" role="alert">
          {reasonOf(analysis.error)}
        </p>
      )}
    </div>
  )
}
