import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The path of a program of the system, regardless of PATH; null: it isn't installed, or this isn't Linux. */
export function systemTool(name: string): string | null {
  if (process.platform !== 'linux') return null
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
