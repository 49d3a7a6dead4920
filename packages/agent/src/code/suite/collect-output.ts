// Collects attachments and reports from a cell that has ended. Files of failed tests come first, since their number is limited.

import { extname, posix } from 'node:path'
import type { assetTypes } from '@vedette/contracts'
import type { OutputFile } from '../../artifacts/output-file.ts'
import { maxArtifactBytes, maxArtifactsPerRun } from '../../connection/protocol.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { plainFileInside, relativeInside } from '../inside-folder.ts'
import type { ReportedTest, TestOutcome, TestReport } from '../test-report.ts'
import { insideFolders, machineFolders } from './cell-paths.ts'

const ranks: Record<TestOutcome, number> = { unexpected: 0, flaky: 1, expected: 2, skipped: 3 }

export async function collectOutput(cell: Cell, report: TestReport | null) {
  const inside = insideFolders(cell).suite
  const folders = machineFolders(cell)
  const files: OutputFile[] = []
  const traces: { name: string; filename: string }[] = []
  /** Messages for the log. */
  const left: string[] = []
  const names = new Set<string>()
  let isFull = false

  const add = async (
    root: string,
    path: string,
    seenAs: string,
    type: OutputFile['type'],
    contentType: string,
  ) => {
    const name = relativeInside(path, seenAs)
    if (name === null || name.length > 500 || names.has(name)) return null
    const file = await plainFileInside(root, path, seenAs)
    if (file === null) return null
    if (file.size > maxArtifactBytes) {
      left.push(`${name} is not kept: it is larger than ${maxArtifactBytes / (1024 * 1024)} MB`)
      return null
    }
    if (files.length >= maxArtifactsPerRun) {
      isFull = true
      return null
    }
    names.add(name)
    files.push({ type, name, path: file.path, contentType })
    return name
  }

  for (const name of ['report.json', 'report-2.json', 'report-3.json'])
    await add(folders.report, name, '/', 'report', 'application/json')
  for (const folder of report?.htmlReports ?? [])
    await add(folders.suite, posix.join(folder, 'index.html'), inside, 'report', 'text/html')
  const tests = (report?.tests ?? []).toSorted((a, b) => ranks[a.outcome] - ranks[b.outcome])
  for (const test of tests) {
    for (const attempt of test.attempts) {
      for (const { name, contentType, path } of attempt.attachments) {
        const type = typeOf(name, contentType, path)
        const filename = await add(folders.suite, path, inside, type, typeFor(type, contentType))
        if (filename && type === 'trace') traces.push({ name: traceName(test, attempt.retry), filename })
      }
    }
  }
  if (isFull)
    left.push(`The suite left more than ${maxArtifactsPerRun} files: those of failed tests are kept first`)
  return { files, traces, left }
}

function typeOf(name: string, contentType: string, path: string): (typeof assetTypes)[number] {
  const extension = extname(path).toLowerCase()
  if (name === 'trace' && extension === '.zip') return 'trace'
  if (contentType.startsWith('video/') || extension === '.webm') return 'video'
  if (contentType.startsWith('image/') || ['.png', '.jpg', '.jpeg', '.webp'].includes(extension))
    return 'screenshot'
  if (['.log', '.txt'].includes(extension)) return 'log'
  return 'file'
}

function typeFor(type: OutputFile['type'], contentType: string): string {
  if (type === 'trace') return 'application/zip'
  return /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream'
}

function traceName({ suitePath, title, projectName }: ReportedTest, retry: number): string {
  const project = projectName === '' ? '' : ` [${projectName}]`
  return `${[...suitePath, title].join(' › ')}${project}${retry > 0 ? ` (retry ${retry})` : ''}`
}
