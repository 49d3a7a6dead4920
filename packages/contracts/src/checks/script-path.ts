// Paths of a script and its dependencies, relative to the directory that the script runs in. The API refuses paths that the
// agent wouldn't write.

/** Directories that belong to the agent: packages of the runtime, and files that a run leaves for the agent. */
const reserved = ['node_modules', '.vedette']

/** The path without `.`, `..` and empty segments, or null when it leaves the directory or names a reserved one. */
export function scriptPath(path: string): string | null {
  const segments: string[] = []
  if (/^[\\/]/.test(path) || path.includes('\0')) return null
  for (const segment of path.split(/[\\/]/)) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return null
  }
  const [first] = segments
  if (first === undefined || reserved.includes(first.normalize('NFKC').toLowerCase())) return null
  return segments.join('/')
}

export const scriptPathRule =
  'must be a path inside the directory of the script, and not in node_modules or .vedette'
