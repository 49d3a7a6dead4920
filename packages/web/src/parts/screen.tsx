// The frame of a screen: document title, and the heading that gets the focus after navigation.
import { type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { SessionContext } from '../api/session.tsx'
import { rememberRecent } from '../core/recent-items.ts'

/** The first screen keeps the focus where the browser puts it, so that Tab reaches the link to the content. */
let shownPath = location.pathname
/** The heading had the focus when a screen replaced its first load. */
let isFocusLost = false

interface ScreenFrameProps {
  title: ReactNode
  /** The name of the tab; absent: `title`, which then must be text. */
  tabTitle?: string
  /** Beside the heading. */
  actions?: ReactNode
  /** Above the heading. */
  trail?: ReactNode
  children: ReactNode
}

export function ScreenFrame({ title, tabTitle, actions, trail, children }: ScreenFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const name = tabTitle ?? (typeof title === 'string' ? title : '')
  const { account } = useContext(SessionContext) ?? {}
  const [path] = useLocation()
  const isItem = trail !== undefined
  useEffect(() => {
    // Only screens of single things have a trail.
    if (isItem && name !== '' && account !== undefined) rememberRecent(account.id, { path, name })
  }, [isItem, name, account, path])
  useEffect(() => {
    document.title = name === '' ? 'Vedette' : `${name} · Vedette`
  }, [name])
  useLayoutEffect(() => {
    const { current } = heading
    if (isFocusLost || location.pathname !== shownPath) current?.focus({ preventScroll: true })
    shownPath = location.pathname
    isFocusLost = false
    return () => {
      isFocusLost = current !== null && document.activeElement === current
    }
  }, [])
  return (
    <>
      {trail && <div className="trail">{trail}</div>}
      <header className="screen-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
