// Comes in: the folder of a run that has ended. Goes out: the files it left, named and classified, and in words what was
// left behind. Follows no link, of either kind: behind one may stand a file of this machine.

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

/** Paths are relative to the folder, with slashes. */
export interface CollectRules {
  /** Absent: every file is. */
  isWanted?(path: string): boolean
  /** Whether a folder is looked into; absent: all but what package managers and version control keep. */
  isEntered?(path: string): boolean
  /** What people see; absent: the path. */
  nameOf?(path: string): string
}

export interface CollectLimits {
  files: number
  fileBytes: number
  totalBytes: number
  /** Of folders and files that are looked at. */
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

/** When there are too many: what tells most comes first. */
const order: OutputFile['type'][] = ['report', 'trace', 'log', 'video', 'screenshot', 'pcap', 'file']
const maxTold = 20

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
    const file = await collected(join(folder, path), name, limits)
    if (typeof file === 'string') left.push(`${name} is not kept: ${file}`)
    else found.push(file)
  }
  found.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
  return { files: fitting(found, limits, left), left: told(left) }
}

async function wantedPaths(folder: string, rules: CollectRules, limits: CollectLimits, left: string[]) {
  const wanted: string[] = []
  const folders = ['']
  let seen = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of await opendir(join(folder, at))) {
      seen += 1
      if (seen > limits.entries) {
        left.push(`of more than ${limits.entries} files and folders the rest was not looked at`)
        return wanted.sort()
      }
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (rules.isEntered?.(path) ?? isUsuallyEntered(entry.name)) folders.push(path)
      } else if (rules.isWanted?.(path) ?? true) {
        if (entry.isFile()) wanted.push(path)
        else left.push(`${validName(path)} is not kept: it is no regular file`)
      }
    }
  }
  return wanted.sort()
}

function isUsuallyEntered(name: string): boolean {
  return name !== 'node_modules' && name !== '.git'
}

async function collected(
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
    return code === undefined ? errorMessage(error) : `it can not be opened (${code})`
  } finally {
    await handle?.close()
  }
}

function fitting(
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

function told(left: string[]): string[] {
  if (left.length <= maxTold) return left
  return [...left.slice(0, maxTold), `${left.length - maxTold} more files are not kept`]
}
