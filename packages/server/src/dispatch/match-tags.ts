/**
 * A check matches if one of the lists matches: the check has all tags of the list, and none of those with a leading "!".
 * choice: without lists every check matches.
 */
export function matchTags(
  lists: readonly (readonly string[])[] | undefined,
  tags: readonly string[],
): boolean {
  if (lists === undefined || lists.length === 0) return true
  const own = new Set(tags)
  return lists.some((list) =>
    list.every((tag) => (tag.startsWith('!') ? !own.has(tag.slice(1)) : own.has(tag))),
  )
}
