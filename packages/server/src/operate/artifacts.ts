// The files of runs (traces, screenshots) in backups.

import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '@vedette/safeguards/errors'
import { giveToOwnerOf } from '../storage/core/private-file.ts'
import { names } from './backup-file.ts'
import { OperatorError } from './command.ts'
import type { TarEntry } from './tar.ts'

function artifactsDir(dataDir: string): string {
  return join(dataDir, 'artifacts')
}

export function hasArtifacts(dataDir: string): boolean {
  const dir = artifactsDir(dataDir)
  return existsSync(dir) && readdirSync(dir).length > 0
}

export async function* packArtifacts(dataDir: string): AsyncGenerator<TarEntry> {
  for (const path of listFiles(artifactsDir(dataDir), '')) {
    const file = await openIfPresent(join(artifactsDir(dataDir), path))
    if (file === null) continue
    try {
      const { size } = await file.stat()
      yield { name: names.artifacts + path, size, content: readExactly(file, size, path) }
    } finally {
      await file.close()
    }
  }
}

/** Beside the real directory, until the database is restored. */
export function stagingDir(dataDir: string): string {
  return join(dataDir, 'artifacts.restoring')
}

export async function stageArtifact(dataDir: string, { name, content }: TarEntry): Promise<void> {
  const segments = name.slice(names.artifacts.length).split('/')
  if (segments.some((segment) => ['', '.', '..'].includes(segment) || segment.includes('\0'))) {
    throw new OperatorError(`The backup contains a file with a forbidden name: ${JSON.stringify(name)}`)
  }
  const path = join(stagingDir(dataDir), ...segments)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

/** Replaces all files by the staged ones. */
export function promoteArtifacts(dataDir: string): void {
  const replaced = join(dataDir, 'artifacts.replaced')
  rmSync(replaced, { recursive: true, force: true })
  if (existsSync(artifactsDir(dataDir))) renameSync(artifactsDir(dataDir), replaced)
  if (existsSync(stagingDir(dataDir))) {
    giveTreeToOwner(dataDir, stagingDir(dataDir))
    renameSync(stagingDir(dataDir), artifactsDir(dataDir))
  }
  rmSync(replaced, { recursive: true, force: true })
}

function* listFiles(dir: string, prefix: string): Generator<string> {
  if (!existsSync(dir)) return
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* listFiles(join(dir, entry.name), `${prefix}${entry.name}/`)
    else if (entry.isFile()) yield `${prefix}${entry.name}`
  }
}

/** A running server may have deleted the file since it was listed. */
async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** If the file grows meanwhile, the rest is left out: its size is already in the archive. */
async function* readExactly(file: FileHandle, size: number, path: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.alloc(Math.min(1024 * 1024, size - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0)
      throw new OperatorError(`The artifact ${path} was truncated while it was read: try again.`)
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function giveTreeToOwner(dataDir: string, path: string): void {
  giveToOwnerOf(dataDir, path)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTreeToOwner(dataDir, join(path, entry.name))
    else giveToOwnerOf(dataDir, join(path, entry.name))
  }
}
