// Lists the files in the directory of a run that has ended, named and classified, and explains which ones are left out.
// Follows neither symbolic nor hard links: they may lead to files of this machine.

import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { maxArtifactBytes, maxArtifactsPerRun } from '../connection/protocol.ts'
import { type ByteSource, openFile } from './byte-source.ts'
import { UniqueNames, validName } from './file-names.ts'
import type { OutputFile } from './output-file.ts'
import { openZip } from './zip-archive.ts'

/** Paths are relative to the directory, with slashes. */
export interface CollectRules {
  /** Absent: every file is wanted. */
  isWanted?(path: string): boolean
  /** The name in results; absent: the path. */
  nameOf?(path: string): string
}

export interface CollectLimits {
  files: number
  fileBytes: number
  totalBytes: number
  /** Directories and files that are visited. */
  entries: number
}

type FoundFile = OutputFile & { bytes: number }

const megabyte = 1024 * 1024
const defaultLimits: CollectLimits = {
  files: maxArtifactsPerRun,
  fileBytes: maxArtifactBytes,
  totalBytes: 1024 * megabyte,
  entries: 100_000,
}

/** If there are too many, the most useful types are kept. */
const order: OutputFile['type'][] = ['report', 'trace', 'log', 'video', 'screenshot', 'pcap', 'file']
const maxLeftLines = 20
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git'])
/** In the directory of the run. A hundred thousand longer ones would take a gigabyte of the agent's memory. */
const maxFolderChars = 1_000

export async function collectFiles(
  folder: string,
  rules: CollectRules = {},
  given: Partial<CollectLimits> = {},
) {
  const limits = { ...defaultLimits, ...given }
  const left = new LeftLines()
  const found = new Map(order.map((type): [typeof type, FoundFile[]] => [type, []]))
  for await (const path of wantedPaths(folder, rules, limits, left)) {
    const name = validName(rules.nameOf?.(path) ?? path)
    const file = await inspectFile(join(folder, path), name, limits)
    const sameType = typeof file === 'string' ? [] : (found.get(file.type) ?? [])
    if (typeof file === 'string') left.add(`${name} is not kept: ${file}`)
    else if (sameType.length < limits.files) sameType.push(file)
    else left.add(tooMany(name, limits))
  }
  return { files: selectFitting([...found.values()].flat(), limits, left), left: left.lines() }
}

/** The first lines, and how many more there are. */
class LeftLines {
  readonly #lines: string[] = []
  #more = 0

  add(line: string): void {
    if (this.#lines.length < maxLeftLines) this.#lines.push(line)
    else this.#more += 1
  }

  lines(): string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `${this.#more} more files are not kept`]
  }
}

/** Directory by directory, each in the order of its names. */
async function* wantedPaths(folder: string, rules: CollectRules, limits: CollectLimits, left: LeftLines) {
  const folders = ['']
  let seen = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readEntries(join(folder, at), limits.entries - seen)
    if (entries === null) {
      left.add(`${validName(at)} is not kept: the directory can't be read`)
      continue
    }
    for (const entry of entries.slice(0, limits.entries - seen)) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (skippedFolders.has(entry.name)) continue
        if (path.length <= maxFolderChars) folders.push(path)
        else left.add(`${validName(path)} is not kept: its path is longer than ${maxFolderChars} characters`)
      } else if (rules.isWanted?.(path) ?? true) {
        if (entry.isFile()) yield path
        else left.add(`${validName(path)} is not kept: it isn't a regular file`)
      }
    }
    seen += entries.length
    if (seen > limits.entries)
      return left.add(
        `there are more than ${limits.entries} files and directories: the rest was not examined`,
      )
  }
}

/** One more than `max`, if there are that many. Null: it can't be read. */
async function readEntries(folder: string, max: number): Promise<Dirent[] | null> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      entries.push(entry)
      if (entries.length > max) break
    }
  } catch {
    return null
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function inspectFile(path: string, name: string, limits: CollectLimits): Promise<FoundFile | string> {
  try {
    await using source = await openFile(path)
    const { size, links } = source
    if (links > 1) return 'it is a link to another file'
    if (size > limits.fileBytes) return `it is larger than ${Math.floor(limits.fileBytes / megabyte)} MB`
    return { ...(await classifyFile(source, name)), name, path, bytes: size }
  } catch (error) {
    const code = errorCode(error)
    return code === undefined ? errorMessage(error) : `it can't be opened (${code})`
  }
}

function selectFitting(found: FoundFile[], limits: CollectLimits, left: LeftLines): OutputFile[] {
  const files: OutputFile[] = []
  const names = new UniqueNames()
  let total = 0
  for (const { bytes, ...file } of found) {
    if (files.length >= limits.files) left.add(tooMany(file.name, limits))
    else if (total + bytes > limits.totalBytes) {
      left.add(
        `${file.name} is not kept: all files together are larger than ${Math.floor(limits.totalBytes / megabyte)} MB`,
      )
    } else {
      total += bytes
      files.push({ ...file, name: names.take(file.name) })
    }
  }
  return files
}

const tooMany = (name: string, { files }: CollectLimits) =>
  `${name} is not kept: there are ${files} files already`

// The type of a file in results and its content type: by its name, for archives also by their members.
type Kind = Pick<OutputFile, 'type' | 'contentType'>

const byEnding: Record<string, Kind> = {
  png: { type: 'screenshot', contentType: 'image/png' },
  jpg: { type: 'screenshot', contentType: 'image/jpeg' },
  jpeg: { type: 'screenshot', contentType: 'image/jpeg' },
  webp: { type: 'screenshot', contentType: 'image/webp' },
  webm: { type: 'video', contentType: 'video/webm' },
  mp4: { type: 'video', contentType: 'video/mp4' },
  log: { type: 'log', contentType: 'text/plain; charset=utf-8' },
  txt: { type: 'log', contentType: 'text/plain; charset=utf-8' },
  pcap: { type: 'pcap', contentType: 'application/vnd.tcpdump.pcap' },
  pcapng: { type: 'pcap', contentType: 'application/vnd.tcpdump.pcap' },
  gif: { type: 'file', contentType: 'image/gif' },
  svg: { type: 'file', contentType: 'image/svg+xml' },
  html: { type: 'file', contentType: 'text/html; charset=utf-8' },
  md: { type: 'file', contentType: 'text/markdown; charset=utf-8' },
  csv: { type: 'file', contentType: 'text/csv; charset=utf-8' },
  json: { type: 'file', contentType: 'application/json' },
  har: { type: 'file', contentType: 'application/json' },
  xml: { type: 'file', contentType: 'application/xml' },
  pdf: { type: 'file', contentType: 'application/pdf' },
  zip: { type: 'file', contentType: 'application/zip' },
  gz: { type: 'file', contentType: 'application/gzip' },
  tgz: { type: 'file', contentType: 'application/gzip' },
}

const reports = /(?:^|\/)(?:(?:report|results|test-results)\.json|junit\.xml|[^/]*report[^/]*\/index\.html)$/i
const maxMembers = 20_000

async function classifyFile(source: ByteSource, name: string): Promise<Kind> {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const kind = byEnding[ending] ?? { type: 'file', contentType: 'application/octet-stream' }
  if (reports.test(name)) return { ...kind, type: 'report' }
  if (ending === 'zip' && (await hasTrace(source))) return { ...kind, type: 'trace' }
  return kind
}

async function hasTrace(source: ByteSource): Promise<boolean> {
  try {
    const { members } = await openZip(source, maxMembers)
    return members.some(({ fileName }) => fileName.endsWith('.trace'))
  } catch {
    return false
  }
}
