// Where a long list was scrolled to. Back restores it; a new visit begins at the top.

const positions = new Map<string, number>()
let isBack = false

addEventListener('popstate', () => {
  isBack = true
  // After the screens have rendered.
  setTimeout(() => {
    isBack = false
  })
})

export function keepScroll(list: string): void {
  positions.set(list, scrollY)
}

export function restoreScroll(list: string): void {
  scrollTo(0, isBack ? (positions.get(list) ?? 0) : 0)
}
