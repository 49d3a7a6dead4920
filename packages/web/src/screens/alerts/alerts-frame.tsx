// The frame of the screens about alerts: history, channels, settings.
import './alerts.css'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { ScreenFrame } from '../../parts/screen.tsx'

const screens = [
  { path: '/alerts', label: 'History' },
  { path: '/alerts/channels', label: 'Channels' },
  { path: '/alerts/settings', label: 'Settings' },
]

interface AlertsFrameProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

export function AlertsFrame({ title, actions, children }: AlertsFrameProps) {
  const [path] = useLocation()
  return (
    <ScreenFrame title={title} actions={actions}>
      <nav className="part-nav" aria-label="Alerts">
        {screens.map((screen) => (
          <Link
            key={screen.path}
            href={screen.path}
            {...(path === screen.path ? { 'aria-current': 'page' } : {})}
          >
            {screen.label}
          </Link>
        ))}
      </nav>
      {children}
    </ScreenFrame>
  )
}
