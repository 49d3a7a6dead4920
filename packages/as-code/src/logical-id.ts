/** `Anna's shop` → `anna-s-shop`. */
export function logicalIdOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['resource']
  return words.join('-').slice(0, 60)
}
