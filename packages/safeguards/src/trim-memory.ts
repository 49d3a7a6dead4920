// Returns free memory to the system: malloc of the C library keeps what lies between memory in use.
let trim: ReturnType<typeof loadTrim> | undefined

/** Takes some milliseconds. 1: some was returned; 0: none; null: this isn't the C library of GNU. */
export async function trimMemory(): Promise<number | null> {
  trim ??= loadTrim()
  return (await trim)?.(0) ?? null
}

async function loadTrim() {
  try {
    const { default: koffi } = await import('koffi')
    return koffi.load(null).func('int malloc_trim(size_t)')
  } catch {
    return null
  }
}
