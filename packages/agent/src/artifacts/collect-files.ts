// Lists the files in the directory of a run that has ended, named and classified, and explains which ones are left out.
// Follows neither symbolic nor hard links: they may lead to files of this machine.

import type { FileHandle } from 'node:fs/promises'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { maxArtifactBytes, maxArtifactsPerRun } from '../connection/protocol.ts'
import { openUnlinked } from './byte-source.ts'
import { classifyFile } from './classify-file.ts'
import type { OutputFile } from './output-file.ts'
import { validName } from './scrub-name.ts'
import { UniqueNames } from './unique-names.ts'

/** Paths are relative to the directory, with slashes. */
export interface CollectRules {
  /** Absent: every file is wanted. */
  isWanted?(path: string): boolean
  /** Whether a directory is read; absent: all but node_modules and .git. */
  isEntered?(path: string): boolean
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

export interface CollectedFiles {
  files: OutputFile[]
  left: string[]
}

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

export async function collectFiles(
  folder: string,
  rules: CollectRules = {},
  given: Partial<CollectLimits> = {},
): Promise<CollectedFiles> {
  const limits = { ...defaultLimits, ...given }
  const left: string[] = []
  const found: (OutputFile & { bytes: number })[] = []
  for (const path of await wantedPaths(folder, rules, limits, left)) {
    const name = validName(rules.nameOf?.(path) ?? path)
    const file = await inspectFile(join(folder, path), name, limits)
    if (typeof file === 'string') left.push(`${name} is not kept: ${file}`)
    else found.push(file)
  }
  found.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
  return { files: selectFitting(found, limits, left), left: limitLines(left) }
}

async function wantedPaths(folder: string, rules: CollectRules, limits: CollectLimits, left: string[]) {
  const wanted: string[] = []
  const folders = ['']
  let seen = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of await opendir(join(folder, at))) {
      seen += 1
      if (seen > limits.entries) {
        left.push(`there are more than ${limits.entries} files and directories: the rest was not examined`)
        return wanted.sort()
      }
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (rules.isEntered?.(path) ?? isUsuallyEntered(entry.name)) folders.push(path)
      } else if (rules.isWanted?.(path) ?? true) {
        if (entry.isFile()) wanted.push(path)
        else left.push(`${validName(path)} is not kept: it isn't a regular file`)
      }
    }
  }
  return wanted.sort()
}

function isUsuallyEntered(name: string): boolean {
  return name !== 'node_modules' && name !== '.git'
}

async function inspectFile(
  path: string,
  name: string,
  limits: CollectLimits,
): Promise<(OutputFile & { bytes: number }) | string> {
  let handle: FileHandle | null = null
  try {
    handle = await openUnlinked(path)
    const { size, nlink } = await handle.stat()
    if (nlink > 1) return 'it is a link to another file'
    if (size > limits.fileBytes) return `it is larger than ${Math.floor(limits.fileBytes / megabyte)} MB`
    return { ...(await classifyFile(handle, size, name)), name, path, bytes: size }
  } catch (error) {
    const code = errorCode(error)
    return code === undefined ? errorMessage(error) : `it can't be opened (${code})`
  } finally {
    await handle?.close()
  }
}

function selectFitting(
  found: (OutputFile & { bytes: number })[],
  limits: CollectLimits,
  left: string[],
): OutputFile[] {
  const files: OutputFile[] = []
  const names = new UniqueNames()
  let total = 0
  for (const { bytes, ...file } of found) {
    if (files.length >= limits.files)
      left.push(`${file.name} is not kept: there are ${limits.files} files already`)
    else if (total + bytes > limits.totalBytes) {
      left.push(
        `${file.name} is not kept: all files together are larger than ${Math.floor(limits.totalBytes / megabyte)} MB`,
      )
    } else {
      total += bytes
      files.push({ ...file, name: names.take(file.name) })
    }
  }
  return files
}

function limitLines(left: string[]): string[] {
  if (left.length <= maxLeftLines) return left
  return [...left.slice(0, maxLeftLines), `${left.length - maxLeftLines} more files are not kept`]
}
