// What the palette can do besides finding things.
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useCheckChange, useRunNow } from '../api/check-actions.ts'
import { useSession } from '../api/session.tsx'
import type { Check } from '../api/types.ts'
import { isMuted, muteChoices } from '../core/mute-times.ts'
import { changePreferences } from '../core/preferences.ts'
import { recentItems } from '../core/recent-items.ts'
import { typeLabels } from '../core/states.ts'
import { muteChange, unmuted } from '../parts/mute-button.tsx'
import { reasonOf } from '../parts/states.tsx'
import { useNow, useTimeOptions } from '../parts/time.tsx'
import { navigationScreens } from './navigation.tsx'
import { showOutcome } from './outcome-bar.tsx'

export interface PaletteAction {
  id: string
  label: string
  hint: string
  run(): void
}

/** In the order in which they are listed: what is nearest to the current screen first. */
export function usePaletteActions(): { recent: PaletteAction[]; actions: PaletteAction[] } {
  const { signIn, account, switchAccount, denialOf } = useSession()
  const [path, navigate] = useLocation()
  const ofCheck = useCheckActions(path)
  const goTo = (id: string, label: string, address: string, hint: string): PaletteAction => ({
    ...{ id, label, hint, run: () => navigate(address) },
  })
  const creation =
    denialOf('READ_WRITE') === null
      ? Object.entries(typeLabels).map(([type, label]) =>
          goTo(`new ${type}`, `Create a check: ${label}`, `/checks/new?type=${type}`, 'Create'),
        )
      : []
  const accounts = signIn.accounts
    .filter(({ id }) => id !== account.id)
    .map(({ id, name }) => ({
      ...{ id, label: `Switch to ${name}`, hint: 'Account' },
      run() {
        switchAccount(id)
        navigate('/')
      },
    }))
  const themes = (['system', 'light', 'dark'] as const).map((theme) => ({
    ...{ id: `theme ${theme}`, label: `Theme: ${theme}`, hint: 'Appearance' },
    run: () => changePreferences({ theme }),
  }))
  const recent = recentItems(account.id)
    .filter((item) => item.path !== path)
    .map((item) => goTo(`recent ${item.path}`, item.name, item.path, 'Recent'))
  const screens = navigationScreens.map(({ path: address, label }) =>
    goTo(address, `Go to ${label}`, address, 'Screen'),
  )
  return { recent, actions: [...ofCheck, ...screens, ...creation, ...accounts, ...themes] }
}

/** Of the check whose screen is open, or of the result of one. */
function useCheckActions(path: string): PaletteAction[] {
  const id = /^\/checks\/([0-9a-f-]{36})(?=\/|$)/.exec(path)?.[1] ?? ''
  const queries = useQueryClient()
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const run = useRunNow(id)
  const change = useCheckChange(id)
  const now = useNow()
  const options = useTimeOptions()
  const check = queries.getQueryData<Check>(['check', id])
  if (id === '' || check === undefined) return []
  // Not an option of mutate(): the palette is closed by then.
  const onError = (error: Error) => showOutcome(`${check.name}: ${reasonOf(error)}`)
  const hint = check.name
  const mutes = isMuted(check, now)
    ? [
        {
          ...{ id: 'unmute', label: 'Unmute this check', hint },
          run: () => change.mutateAsync(unmuted).catch(onError),
        },
      ]
    : muteChoices(now, options).map((choice) => ({
        ...{ id: choice.id, label: choice.label.replace('Mute', 'Mute this check'), hint },
        run: () => change.mutateAsync(muteChange(choice)).catch(onError),
      }))
  const runNow = {
    ...{ id: 'run', label: 'Run this check now', hint },
    run() {
      showOutcome(`${check.name} is running.`)
      run.mutateAsync().catch(onError)
    },
  }
  const edit = {
    ...{ id: 'edit', label: 'Edit this check', hint },
    run: () => navigate(`/checks/${id}/edit`),
  }
  return [
    ...(check.checkType !== 'HEARTBEAT' && denialOf('READ_RUN') === null ? [runNow] : []),
    ...(denialOf('READ_WRITE') === null ? [...mutes, edit] : []),
  ]
}
