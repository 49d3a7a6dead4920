// The type of a file in results and its content type: by its name, for archives also by their members.
import type { FileHandle } from 'node:fs/promises'
import { handleSource } from './byte-source.ts'
import type { OutputFile } from './output-file.ts'
import { zipMembers } from './zip-reader.ts'

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

export async function classifyFile(handle: FileHandle, size: number, name: string): Promise<Kind> {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const kind = byEnding[ending] ?? { type: 'file', contentType: 'application/octet-stream' }
  if (reports.test(name)) return { ...kind, type: 'report' }
  if (ending === 'zip' && (await hasTrace(handle, size))) return { ...kind, type: 'trace' }
  return kind
}

async function hasTrace(handle: FileHandle, size: number): Promise<boolean> {
  try {
    const members = await zipMembers(handleSource(handle, size), maxMembers)
    return members.some(({ name }) => name.endsWith('.trace'))
  } catch {
    return false
  }
}
