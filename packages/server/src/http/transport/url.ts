/** A contract's path in the router's words: {id} -> :id. */
export function urlOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
