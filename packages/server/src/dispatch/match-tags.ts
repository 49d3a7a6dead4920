/**
 * A check fits when one of the lists fits: every tag of it is there, and none of those that begin with "!".
 * choice: no lists are no condition.
 */
export function matchTags(
  lists: readonly (readonly string[])[] | undefined,
  tags: readonly string[],
): boolean {
  if (lists === undefined || lists.length === 0) return true
  const present = new Set(tags)
  return lists.some((list) =>
    list.every((tag) => (tag.startsWith('!') ? !present.has(tag.slice(1)) : present.has(tag))),
  )
}
