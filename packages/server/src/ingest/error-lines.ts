// The lines of an error that state the failure, without stacks, code frames, call logs and the values that an assertion
// compared. Reads each line once.

type Skipping = 'call log' | 'old log' | 'diff' | { untilQuote: string } | null

export function messageLines(text: string): string[] {
  const lines: string[] = []
  let skipping: Skipping = null
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const isSkipped: boolean = continuesSkipping(skipping, raw, line)
    if (isSkipped) {
      if (endsSkipping(skipping, line)) skipping = null
      continue
    }
    skipping = startSkipping(line)
    if (skipping !== null || comparedValue.test(line) || listedElement.test(line)) continue
    if (isStackLine(line) || isCodeFrame(line)) continue
    lines.push(line)
  }
  return lines
}

function startSkipping(line: string): Skipping {
  if (/^call log:?$/i.test(line)) return 'call log'
  if (/^={5,80} logs ={5,80}$/.test(line)) return 'old log'
  if (/^[-+] (?:Expected|Received)\b/.test(line)) return 'diff'
  const value = comparedValue.exec(line)
  if (value === null) return null
  // A compared text may have many lines: it ends with the quote that opened it.
  const text = line.slice(value[0].length)
  const quote = text.charAt(0)
  const isOpen = /["'`]/.test(quote) && (text.length === 1 || !text.endsWith(quote))
  return isOpen ? { untilQuote: quote } : null
}

/** "Expected: 200", "Received string:  …", "Expected pattern: …". */
const comparedValue = /^(?:Expected|Received)(?: \w{1,20}){0,4} {0,4}:\s{0,20}/

/** "2) <button>Buy</button> aka getByRole(…)": the matches of a locator that should match one element. */
const listedElement = /^\d{1,4}\) <|^\.\.\.$/

function continuesSkipping(skipping: Skipping, raw: string, line: string): boolean {
  if (skipping === null) return false
  if (skipping === 'old log' || typeof skipping === 'object') return true
  const isIndented = raw !== raw.trimStart()
  if (skipping === 'call log') return line === '' || isIndented || line.startsWith('-')
  return line === '' || isIndented || /^(?:[-+]|@@)/.test(line)
}

function endsSkipping(skipping: Skipping, line: string): boolean {
  if (skipping === 'old log') return /^={5,}$/.test(line)
  return typeof skipping === 'object' && skipping !== null && line.endsWith(skipping.untilQuote)
}

const position = /:\d{1,9}:\d{1,9}\)?$/

/** "at run (file.ts:1:2)" in Node and Chromium, "run@file.ts:1:2" in other browsers. */
function isStackLine(line: string): boolean {
  if (/^at\s/.test(line)) return position.test(line) || /\((?:<anonymous>|native|index \d{1,9})\)$/.test(line)
  return !line.includes(' ') && line.includes('@') && position.test(line)
}

/** "> 12 |   await page.click()", and the "|  ^" below it. */
function isCodeFrame(line: string): boolean {
  return /^(?:> {0,8})?\d{1,6} {0,8}\|/.test(line) || /^\| {0,500}\^{1,500}$/.test(line)
}
