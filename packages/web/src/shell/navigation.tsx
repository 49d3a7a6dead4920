// The sidebar: wide, narrow (icons only), or a drawer below 800 px.
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { changePreferences, preferences } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'

/** Only screens that exist. */
export const navigationScreens: { path: string; label: string; icon: IconName }[] = [
  { path: '/', label: 'Home', icon: 'home' },
  { path: '/checks', label: 'Checks', icon: 'checks' },
  { path: '/alerts', label: 'Alerts', icon: 'bell' },
  { path: '/sessions', label: 'Sessions', icon: 'sessions' },
  { path: '/status-pages', label: 'Status pages', icon: 'page' },
  { path: '/dashboards', label: 'Dashboards', icon: 'dashboard' },
  { path: '/maintenance', label: 'Maintenance', icon: 'wrench' },
  { path: '/locations', label: 'Locations', icon: 'locations' },
  { path: '/reports', label: 'Reports', icon: 'reports' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
]

/** Screens without an entry of their own. */
const alsoIn: Record<string, string[]> = { '/status-pages': ['/services', '/incidents'] }

interface NavigationProps {
  isOpen: boolean
  onClose(): void
  onSearch(): void
  /** Menus at the bottom. */
  children: ReactNode
}

export function Navigation({ isOpen, onClose, onSearch, children }: NavigationProps) {
  const [path] = useLocation()
  const { isSidebarNarrow } = useStore(preferences)
  const drawer = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen) drawer.current?.querySelector('a')?.focus()
  }, [isOpen])
  const isCurrent = (screen: string) =>
    screen === '/'
      ? path === '/'
      : [screen, ...(alsoIn[screen] ?? [])].some((one) => path === one || path.startsWith(`${one}/`))
  return (
    <>
      {isOpen && (
        <button type="button" className="backdrop" aria-label="Close navigation" onClick={onClose} />
      )}
      <nav
        ref={drawer}
        aria-label="Main"
        className={isOpen ? 'sidebar open' : 'sidebar'}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      >
        <div className="sidebar-head">
          <Link href="/" className="brand">
            <img src={new URL('../icon.svg', import.meta.url).href} alt="" width="20" height="20" />
            <span className="wide-only">Vedette</span>
          </Link>
          <IconButton
            label={isSidebarNarrow ? 'Widen the sidebar' : 'Narrow the sidebar'}
            onPress={() => changePreferences({ isSidebarNarrow: !isSidebarNarrow })}
          >
            <Icon name="panel" />
          </IconButton>
        </div>
        <button type="button" className="nav-item search-button" onClick={onSearch} aria-keyshortcuts="/">
          <Icon name="search" />
          <span className="wide-only">Search</span>
          <kbd className="wide-only">/</kbd>
        </button>
        <ul>
          {navigationScreens.map(({ path: target, label, icon }) => (
            <li key={target}>
              <Link
                href={target}
                className="nav-item"
                title={label}
                {...(isCurrent(target) ? { 'aria-current': 'page' } : {})}
              >
                <Icon name={icon} />
                <span className="wide-only">{label}</span>
              </Link>
            </li>
          ))}
        </ul>
        <div className="sidebar-foot">{children}</div>
      </nav>
    </>
  )
}
