// Brings the events of the account to the screens.
import { useQueryClient } from '@tanstack/react-query'
import type { OverviewChange } from '@vedette/contracts'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { renewSignIn, useSession } from '../api/session.tsx'
import type { Recent } from '../api/types.ts'
import { openSharedStream, type SharedStream } from './shared-stream.ts'

interface LiveHandlers {
  onChange?(change: OverviewChange): void
  onRecent?(recent: Recent): void
}

interface Live {
  watch(ids: readonly string[]): void
  add(handlers: { current: LiveHandlers }): () => void
}

const LiveContext = createContext<Live | null>(null)

export function LiveProvider({ children }: { children: ReactNode }) {
  const { account } = useSession()
  const queries = useQueryClient()
  const stream = useRef<SharedStream | null>(null)
  const watched = useRef<readonly string[]>([])
  const listeners = useRef(new Set<{ current: LiveHandlers }>())
  useEffect(() => {
    const opened = openSharedStream(account.id, {
      onEvent({ event, data }) {
        if (event === 'reload') queries.invalidateQueries()
        for (const { current } of listeners.current) {
          if (event === 'change') current.onChange?.(JSON.parse(data))
          if (event === 'alert' || event === 'incident') current.onRecent?.(JSON.parse(data))
        }
      },
      onEnded: () => renewSignIn(queries),
    })
    stream.current = opened
    opened.watch(watched.current)
    return () => {
      stream.current = null
      opened.close()
    }
  }, [account.id, queries])
  const live = useMemo<Live>(
    () => ({
      watch(ids) {
        watched.current = ids
        stream.current?.watch(ids)
      },
      add(handlers) {
        listeners.current.add(handlers)
        return () => listeners.current.delete(handlers)
      },
    }),
    [],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

/** While the component is shown: full changes of these checks, and counts of the others. */
export function useLive(checkIds: readonly string[], handlers: LiveHandlers): void {
  const live = useContext(LiveContext)
  const latest = useRef(handlers)
  latest.current = handlers
  const key = checkIds.join()
  useEffect(() => live?.add(latest), [live])
  useEffect(() => {
    live?.watch(key === '' ? [] : key.split(','))
    return () => live?.watch([])
  }, [live, key])
}
