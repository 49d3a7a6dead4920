/** Older agents still work, but are shown as outdated. */
export const minAgentVersion = '0.1.0'

export function isOutdated(version: string): boolean {
  return compareVersions(version, minAgentVersion) < 0
}

/** A pre-release is older than the release of the same number. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let index = 0; index < 3; index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  return Number(left.isFinal) - Number(right.isFinal)
}

function partsOf(version: string): { numbers: number[]; isFinal: boolean } {
  const [numbers = '', preRelease] = (version.split('+')[0] ?? '').split(/-(.*)/s)
  return {
    numbers: numbers.split('.').map((part) => Number.parseInt(part, 10) || 0),
    isFinal: preRelease === undefined,
  }
}
