import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** Where the system has a program, whatever the PATH says; null: nowhere, or this is no Linux. */
export function systemTool(name: string): string | null {
  if (process.platform !== 'linux') return null
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
