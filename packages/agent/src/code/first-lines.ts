/** Lazily: splitting a text of nothing but line breaks would fill the memory. */
export function* firstLines(text: string, maxLines: number): Generator<string> {
  let from = 0
  for (let count = 0; count < maxLines && from < text.length; count++) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end === -1 ? text.length : end)
    if (end === -1) return
    from = end + 1
  }
}
