// Above the screen: lost connection with the age of the data, outage, newer app.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { lookForNewerBuild, newerBuild } from '../api/build.ts'
import { connection } from '../api/connection.ts'
import { formatClock, formatSpan } from '../core/format.ts'
import { useStore } from '../core/store.ts'
import { ActionButton } from '../parts/button.tsx'
import { useNow, useTimeOptions } from '../parts/time.tsx'

const retryMs = 5_000

export function Notices() {
  const { state, heardAt } = useStore(connection)
  const isNewer = useStore(newerBuild)
  const queries = useQueryClient()
  const now = useNow()
  const options = useTimeOptions()
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && lookForNewerBuild()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => {
    if (state === 'connected') return
    const timer = setInterval(() => queries.refetchQueries({ type: 'active' }), retryMs)
    return () => {
      clearInterval(timer)
      lookForNewerBuild()
    }
  }, [state, queries])
  return (
    <div role="status">
      {state !== 'connected' && (
        <p className="notice degraded-notice">
          {state === 'lost' ? 'The server can’t be reached.' : 'The server’s database isn’t available.'} You
          see data of {formatClock(heardAt, options)}, {formatSpan(Math.max(0, now - heardAt))} old. It is
          tried again every few seconds.
        </p>
      )}
      {isNewer && (
        <p className="notice">
          The server has a newer version of this app.{' '}
          <ActionButton onPress={() => location.reload()}>Reload</ActionButton>
        </p>
      )}
    </div>
  )
}
