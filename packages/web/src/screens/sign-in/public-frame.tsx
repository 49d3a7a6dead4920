// The frame of screens that need no session: one column in the middle.
import { type ReactNode, useEffect } from 'react'

export function PublicFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Vedette`
  }, [title])
  return (
    <main className="public-frame">
      <p className="brand">
        <img src={new URL('../../icon.svg', import.meta.url).href} alt="" width="24" height="24" />
        Vedette
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  )
}

/** The part of the address after #: it isn't sent to the server, nor kept in the history. */
export function takeToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') history.replaceState(history.state, '', location.pathname)
  return token
}
