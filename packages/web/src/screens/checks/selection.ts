// Which checks of the list are selected: some by id, or all that match the filters.
export type Selection = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all' }

export const nothingSelected: Selection = { kind: 'some', ids: new Set() }

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' || selection.ids.has(id)
}

/** `matching`: how many checks match the filters. */
export function countSelected(selection: Selection, matching: number): number {
  return selection.kind === 'all' ? matching : selection.ids.size
}

/** Leaving a check out of all of them leaves the checks of the list that are loaded: `loaded`. */
export function select(
  selection: Selection,
  ids: readonly string[],
  isChosen: boolean,
  loaded: readonly string[],
): Selection {
  const before = selection.kind === 'all' ? loaded : selection.ids
  const next = new Set(before)
  for (const id of ids) {
    if (isChosen) next.add(id)
    else next.delete(id)
  }
  return { kind: 'some', ids: next }
}
