// The code blocks of a guide: files by their titles, and commands.
import { readFileSync } from 'node:fs'

export interface Block {
  language: string
  /** The path of a file. */
  title: string | null
  text: string
}

/** Blocks in lists are indented. */
export function readBlocks(path: string): Block[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent, language, title] = /^( *)```(\w+)(?: title=(\S+))?$/.exec(lines[at] ?? '') ?? []
    if (indent === undefined || language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at + 1)
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
    blocks.push({ language, title: title ?? null, text: `${text.join('\n')}\n` })
    at = end
  }
  return blocks
}
