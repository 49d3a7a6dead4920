// What surrounds every screen: navigation, search, account, notices about the connection.
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { preferences } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { LeaveDialog } from '../forms/leave-dialog.tsx'
import { LiveProvider } from '../live/live-provider.tsx'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { AccountMenu, UserMenu } from './account-menu.tsx'
import { ConfirmationDialog } from './confirmation.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { listenToKeys, useKeys } from './keys.ts'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { OutcomeBar } from './outcome-bar.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { ScreenBoundary } from './screen-boundary.tsx'
import { SearchDialog } from './search-dialog.tsx'
import { SessionEndedDialog } from './session-ended-dialog.tsx'

type Opened = 'help' | 'search' | 'navigation' | null

export function Shell({ children }: { children: ReactNode }) {
  const { isSidebarNarrow } = useStore(preferences)
  const [opened, setOpened] = useState<Opened>(null)
  const [path] = useLocation()
  const close = () => setOpened(null)
  useEffect(listenToKeys, [])
  useKeys({
    '?': () => setOpened('help'),
    '/': () => setOpened('search'),
    'mod+k': () => setOpened('search'),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another screen opens
  useEffect(close, [path])
  return (
    <LiveProvider>
      <div className={isSidebarNarrow ? 'shell narrow' : 'shell'}>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <ProgressBar />
        <header className="top-bar">
          <IconButton label="Open navigation" onPress={() => setOpened('navigation')}>
            <Icon name="menu" />
          </IconButton>
          <span className="brand">Vedette</span>
          <IconButton label="Search" onPress={() => setOpened('search')}>
            <Icon name="search" />
          </IconButton>
        </header>
        <Navigation isOpen={opened === 'navigation'} onClose={close} onSearch={() => setOpened('search')}>
          <AccountMenu />
          <UserMenu onHelp={() => setOpened('help')} />
        </Navigation>
        <div className="main-column">
          <Notices />
          <main id="content" tabIndex={-1}>
            <ScreenBoundary key={path}>{children}</ScreenBoundary>
          </main>
        </div>
      </div>
      <HelpDialog isOpen={opened === 'help'} onClose={close} />
      {opened === 'search' && <SearchDialog onClose={close} />}
      <OutcomeBar />
      <LeaveDialog />
      <ConfirmationDialog />
      <SessionEndedDialog />
    </LiveProvider>
  )
}
