// What a browser calls itself, in words that people recognize.

/** In this order: Edge and Opera also name Chrome, and Chrome also names Safari. */
const browsers: [mark: RegExp, name: string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [mark: RegExp, name: string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** `Firefox on Linux`. */
export function deviceOf(userAgent: string | null): string {
  const text = userAgent ?? ''
  const browser = browsers.find(([mark]) => mark.test(text))?.[1]
  const system = systems.find(([mark]) => mark.test(text))?.[1]
  if (browser === undefined) return text === '' ? 'Unknown browser' : text.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
