// j and k move between the rows of a list; Enter opens the link that has the focus, as everywhere.
import { type ReactNode, useRef } from 'react'
import { useKeys } from '../shell/keys.ts'

/** The links to move between have the attribute data-row-link. */
export function RowKeys({ children }: { children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null)
  const move = (step: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
    const { activeElement } = document
    const current = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
    links[Math.max(0, Math.min(links.length - 1, current + step))]?.focus()
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  return <div ref={list}>{children}</div>
}
