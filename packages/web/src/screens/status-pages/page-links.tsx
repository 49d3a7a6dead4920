import { Link, useLocation } from 'wouter'

const screens = [
  { path: '/status-pages', label: 'Pages' },
  { path: '/services', label: 'Services' },
  { path: '/incidents', label: 'Incidents' },
]

/** Screens about status pages, beside each other. */
export function PageLinks() {
  const [current] = useLocation()
  return (
    <nav className="tab-bar" aria-label="Status pages">
      <div className="tab-list">
        {screens.map(({ path, label }) => (
          <Link
            key={path}
            href={path}
            className="tab link-tab"
            {...(current === path ? { 'aria-current': 'page' } : {})}
          >
            {label}
          </Link>
        ))}
      </div>
    </nav>
  )
}
