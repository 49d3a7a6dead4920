// What a bulk action does to each check, and how it is undone. Pure.
import type { BulkAction, CheckValues } from '@vedette/contracts'
import type { BulkCheck } from '../storage/checks/bulk-checks.ts'

/** Null: the check already is as asked for. */
export function changeOf(action: BulkAction, check: BulkCheck): CheckValues | null {
  switch (action.action) {
    case 'pause':
      return check.activated ? { activated: false } : null
    case 'resume':
      return check.activated ? null : { activated: true }
    case 'mute': {
      const { mutedUntil } = action
      if (mutedUntil === null)
        return check.muted && check.mutedUntil === null ? null : { muted: true, mutedUntil }
      // What is muted for good stays so.
      return check.muted || check.mutedUntil === mutedUntil ? null : { mutedUntil }
    }
    case 'unmute':
      return check.muted || check.mutedUntil !== null ? { muted: false, mutedUntil: null } : null
    case 'addTags': {
      const added = action.tags.filter((tag) => !check.tags.includes(tag))
      return added.length === 0 ? null : { tags: [...check.tags, ...new Set(added)] }
    }
    case 'removeTags': {
      const tags = check.tags.filter((tag) => !action.tags.includes(tag))
      return tags.length === check.tags.length ? null : { tags }
    }
    case 'moveToGroup':
      return check.groupId === action.groupId ? null : { groupId: action.groupId }
    case 'delete':
    case 'run':
      return {}
  }
}

/** The action that restores a changed check, without its selection. Null: there is none. */
function undoOf(action: BulkAction, { muted, mutedUntil, tags }: BulkCheck): object | null {
  switch (action.action) {
    case 'pause':
      return { action: 'resume' }
    case 'resume':
      return { action: 'pause' }
    case 'mute':
    case 'unmute':
      return muted || mutedUntil !== null
        ? { action: 'mute', mutedUntil: muted ? null : mutedUntil }
        : { action: 'unmute' }
    case 'addTags':
      return { action: 'removeTags', tags: action.tags.filter((tag) => !tags.includes(tag)) }
    case 'removeTags':
      return { action: 'addTags', tags: tags.filter((tag) => action.tags.includes(tag)) }
    case 'moveToGroup':
    case 'delete':
    case 'run':
      return null
  }
}

/** One request for all checks that are restored in the same way. `changed`: as they were before. */
export function undosOf(action: BulkAction, changed: readonly BulkCheck[]): BulkAction[] {
  const groups = Map.groupBy(changed, (check) => JSON.stringify(undoOf(action, check)))
  return [...groups].flatMap(([text, checks]) => {
    const undo = JSON.parse(text)
    if (undo === null) return []
    return [{ ...undo, dryRun: false, selection: { checkIds: checks.map(({ id }) => id) } }]
  })
}

/** What else the action means for these checks. `group`: where they are moved to. */
export function warningsOf(
  action: BulkAction,
  checks: readonly BulkCheck[],
  group: { name: string; hasLocations: boolean } | null,
): string[] {
  const count = (matches: (check: BulkCheck) => boolean, sentence: (text: string) => string) => {
    const number = checks.filter(matches).length
    return number === 0 ? [] : [sentence(number === 1 ? '1 check' : `${number} checks`)]
  }
  switch (action.action) {
    case 'unmute':
      return count(
        ({ isGroupMuted }) => isGroupMuted,
        (some) => `${some} will stay muted, because the group is muted.`,
      )
    case 'resume':
      return count(
        ({ isGroupActivated }) => !isGroupActivated,
        (some) => `${some} will stay paused, because the group is paused.`,
      )
    case 'moveToGroup':
      return [
        ...(group?.hasLocations ? [`They will run in the locations of the group ${group.name}.`] : []),
        ...count(
          ({ groupId }) => groupId !== null && groupId !== action.groupId,
          (some) => `${some} will leave another group, and lose its settings.`,
        ),
      ]
    case 'delete':
      return ['Their results, alerts and badges are deleted too. This can’t be undone.']
    case 'pause':
      return ['While they are paused, nothing is checked, and nobody is notified.']
    case 'mute':
      return ['Members are not notified of failures and recoveries.']
    case 'addTags':
    case 'removeTags':
    case 'run':
      return []
  }
}

const verbs: Record<BulkAction['action'], { done: string; planned: string }> = {
  pause: { done: 'Paused', planned: 'Would pause' },
  resume: { done: 'Resumed', planned: 'Would resume' },
  mute: { done: 'Muted', planned: 'Would mute' },
  unmute: { done: 'Unmuted', planned: 'Would unmute' },
  addTags: { done: 'Tagged', planned: 'Would tag' },
  removeTags: { done: 'Removed tags of', planned: 'Would remove tags of' },
  moveToGroup: { done: 'Moved', planned: 'Would move' },
  delete: { done: 'Deleted', planned: 'Would delete' },
  run: { done: 'Started', planned: 'Would run' },
}

/** `Paused 12 checks` */
export function summaryOf({ action, dryRun }: BulkAction, changed: number): string {
  const { done, planned } = verbs[action]
  return `${dryRun ? planned : done} ${changed} ${changed === 1 ? 'check' : 'checks'}`
}
