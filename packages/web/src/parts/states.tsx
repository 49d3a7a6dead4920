// What a screen shows besides its content: first load, nothing there, failures.
import type { ReactNode } from 'react'
import { CallError } from '../api/call.ts'
import { ActionButton } from './button.tsx'

/** Only on the first load: later ones keep the old content. */
export function FirstLoad({ rows = 6 }: { rows?: number }) {
  return (
    <div className="first-load" role="status">
      <span className="unseen">Loading…</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity
        <div key={index} className="skeleton" />
      ))}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="lead">{title}</p>
      {children}
    </div>
  )
}

interface FailureProps {
  /** What couldn't be loaded: `The results`. */
  what: string
  error: Error
  onRetry(): void
  /** The whole screen failed, not one panel. */
  isWhole?: boolean
}

export function Failure({ what, error, onRetry, isWhole = false }: FailureProps) {
  return (
    <div className={isWhole ? 'failure whole' : 'failure'} role="alert">
      <p>
        {what} couldn’t be loaded: {reasonOf(error)}
      </p>
      <ActionButton onPress={onRetry}>Try again</ActionButton>
    </div>
  )
}

export function reasonOf(error: Error): string {
  if (!(error instanceof CallError)) return error.message
  if (error.status === 0) return 'the server can’t be reached.'
  if (error.status === 403) return 'your role in this account doesn’t allow it.'
  if (error.status === 429) return 'too many requests. Wait a minute.'
  if (error.status === 503) return 'the server’s database isn’t available at the moment.'
  return error.message
}

export function isNotFound(error: Error | null): boolean {
  return error instanceof CallError && (error.status === 404 || error.status === 400)
}
