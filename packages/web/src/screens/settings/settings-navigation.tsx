// Beside the content; below 800 px a list that opens.
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useIsNarrow } from '../../core/use-is-narrow.ts'
import { Icon } from '../../parts/icon.tsx'

const groups: { title: string; items: { path: string; label: string }[] }[] = [
  {
    title: 'Account',
    items: [
      { path: 'account', label: 'Account' },
      { path: 'members', label: 'Members' },
      { path: 'api-keys', label: 'Service API keys' },
      { path: 'audit-log', label: 'Audit log' },
    ],
  },
  {
    title: 'For checks',
    items: [
      { path: 'variables', label: 'Variables' },
      { path: 'snippets', label: 'Snippets' },
      { path: 'certificates', label: 'Client certificates' },
      { path: 'runtimes', label: 'Runtimes' },
      { path: 'archived-errors', label: 'Archived errors' },
    ],
  },
  {
    title: 'Connections',
    items: [
      { path: 'triggers', label: 'Trigger URLs' },
      { path: 'deployments', label: 'Deployments' },
      { path: 'prometheus', label: 'Prometheus' },
    ],
  },
  {
    title: 'You',
    items: [
      { path: 'profile', label: 'Profile' },
      { path: 'security', label: 'Security' },
    ],
  },
]

export function SettingsNavigation() {
  const [path] = useLocation()
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when another screen opens
  useEffect(() => setOpen(false), [path])
  const current = groups
    .flatMap(({ items }) => items)
    .find((item) => path.split('/')[2] === item.path || (item.path === 'account' && path === '/settings'))
  const list = (
    <nav aria-label="Settings">
      {groups.map(({ title, items }) => (
        <div key={title} className="settings-group">
          <p className="settings-group-title" id={`settings-${title}`}>
            {title}
          </p>
          <ul aria-labelledby={`settings-${title}`}>
            {items.map((item) => (
              <li key={item.path}>
                <Link
                  href={`/settings/${item.path}`}
                  className="nav-item"
                  {...(item === current ? { 'aria-current': 'page' } : {})}
                >
                  {item.label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
  if (!isNarrow) return <div className="settings-navigation">{list}</div>
  return (
    <details
      className="settings-navigation form-section"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="right" />
        Settings: {current?.label ?? 'all'}
      </summary>
      {list}
    </details>
  )
}
