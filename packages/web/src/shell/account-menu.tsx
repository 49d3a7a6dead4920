// The menus at the bottom of the sidebar: which account, and what belongs to the user.
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { basePath } from '../api/base-path.ts'
import { call } from '../api/call.ts'
import { roleNames, signInKey, useSession } from '../api/session.tsx'
import { changePreferences, type Preferences, preferences } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { Icon } from '../parts/icon.tsx'
import { type MenuEntry, PickMenu } from '../parts/pick-menu.tsx'

export function AccountMenu() {
  const { signIn, account, switchAccount } = useSession()
  const [, navigate] = useLocation()
  if (signIn.accounts.length < 2) return null
  const entries = signIn.accounts.map(({ id, name, role }) => ({
    id,
    text: name,
    label: (
      <>
        {name} <small className="hint">{roleNames[role]}</small>
      </>
    ),
    isChecked: id === account.id,
    onAction: () => {
      switchAccount(id)
      navigate('/')
    },
  }))
  return (
    <PickMenu
      label={`Account: ${account.name}`}
      look="nav-item"
      placement="top start"
      entries={entries}
      button={
        <>
          <span className="account-mark" aria-hidden="true">
            {account.name.charAt(0).toUpperCase()}
          </span>
          <span className="wide-only cut">{account.name}</span>
        </>
      }
    />
  )
}

const themes: Record<Preferences['theme'], string> = {
  system: 'Theme of the system',
  light: 'Light theme',
  dark: 'Dark theme',
}
const themeNames = ['system', 'light', 'dark'] as const

export function UserMenu({ onHelp }: { onHelp(): void }) {
  const { signIn } = useSession()
  const { theme, hasSingleKeys, isUtc } = useStore(preferences)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const signOut = async () => {
    await call('DELETE /v1/sign-in')
    queries.clear()
    queries.setQueryData(signInKey, null)
    navigate('/login')
  }
  const entries: MenuEntry[] = [
    ...themeNames.map((name) => ({
      id: name,
      label: themes[name],
      text: themes[name],
      isChecked: theme === name,
      onAction: () => changePreferences({ theme: name }),
    })),
    {
      ...{ id: 'utc', label: 'Times in UTC', text: 'Times in UTC', isChecked: isUtc, startsSection: true },
      onAction: () => changePreferences({ isUtc: !isUtc }),
    },
    {
      ...{
        id: 'keys',
        label: 'Single-key shortcuts',
        text: 'Single-key shortcuts',
        isChecked: hasSingleKeys,
      },
      onAction: () => changePreferences({ hasSingleKeys: !hasSingleKeys }),
    },
    { id: 'security', label: 'Security', text: 'Security', onAction: () => navigate('/settings/security') },
    { id: 'help', label: 'Keyboard shortcuts', text: 'Keyboard shortcuts', onAction: onHelp },
    {
      id: 'docs',
      label: 'API reference',
      text: 'API reference',
      onAction: () => location.assign(`${basePath}/docs`),
    },
    { id: 'sign-out', label: 'Sign out', text: 'Sign out', startsSection: true, onAction: signOut },
  ]
  const name = signIn.user.name || signIn.user.email
  return (
    <PickMenu
      label={`User menu of ${name}`}
      look="nav-item"
      placement="top start"
      entries={entries}
      button={
        <>
          <Icon name="user" />
          <span className="wide-only cut">{name}</span>
        </>
      }
    />
  )
}
