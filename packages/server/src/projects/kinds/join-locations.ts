/**
 * The private locations of a check or group after a deployment: those that it assigns, and those that people have added.
 * `before`: those that the last deployment assigned.
 */
export function joinLocations(
  stored: readonly string[] | null | undefined,
  before: readonly string[],
  assigned: unknown,
): string[] {
  const now = Array.isArray(assigned) ? assigned.filter((slug) => typeof slug === 'string') : []
  const byHand = (stored ?? []).filter((slug) => !before.includes(slug))
  return [...new Set([...byHand, ...now])]
}
