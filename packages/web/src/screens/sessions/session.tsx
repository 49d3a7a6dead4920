// A session of either kind. Its id doesn't say which: the server does.
import './sessions.css'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { CheckSession } from './check-session.tsx'
import { TestSession } from './test-session.tsx'

const pollMs = 1_000

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['session', id],
    queryFn: ({ signal }) => call('GET /v1/sessions/{sessionId}', { params: { sessionId: id } }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
  })
  if (data !== undefined)
    return data.kind === 'check' ? (
      <CheckSession session={data} onChange={refetch} />
    ) : (
      <TestSession session={data} onChange={refetch} />
    )
  if (isNotFound(error)) return <NotFound what="This session" />
  return (
    <ScreenFrame title="Session">
      {error ? <Failure what="The session" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}
