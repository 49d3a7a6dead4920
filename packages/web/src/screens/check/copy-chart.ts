// A chart as a picture or as a table for spreadsheets.
import { toCsv } from '../../core/csv.ts'
import { download } from '../../core/download.ts'

interface CopiedSeries {
  label: string
  values: readonly (number | null)[]
  readings?: readonly (number | null)[]
}

/** The numbers without units, so that a spreadsheet can calculate with them. */
export function chartCsv(times: readonly number[], series: readonly CopiedSeries[]): string {
  return toCsv([
    ['Time', ...series.map(({ label }) => label)],
    ...times.map((at, index) => [
      new Date(at * 1000).toISOString(),
      ...series.map(({ values, readings = values }) => String(readings[index] ?? '')),
    ]),
  ])
}

const margin = 12
const titleHeight = 28

/** The canvas of the chart on the color of the page, with its title above. */
export function chartPicture(
  canvas: HTMLCanvasElement,
  title: string,
  { background, text }: { background: string; text: string },
): Promise<Blob | null> {
  const scale = devicePixelRatio
  const picture = document.createElement('canvas')
  picture.width = canvas.width + 2 * margin * scale
  picture.height = canvas.height + (titleHeight + 2 * margin) * scale
  const context = picture.getContext('2d')
  if (context === null) return Promise.resolve(null)
  context.fillStyle = background
  context.fillRect(0, 0, picture.width, picture.height)
  context.fillStyle = text
  context.font = `600 ${14 * scale}px ${getComputedStyle(document.body).fontFamily}`
  context.textBaseline = 'top'
  context.fillText(title, margin * scale, margin * scale)
  context.drawImage(canvas, margin * scale, (margin + titleHeight) * scale)
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'))
}

/** Returns what was done. Pages without https can't write to the clipboard: they save a file. */
export async function copyPicture(name: string, picture: Blob): Promise<string> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
    return 'The chart is copied.'
  } catch {
    download(`${name}.png`, picture, 'image/png')
    return 'The chart is saved as a file.'
  }
}

export async function copyCsv(name: string, csv: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(csv)
    return 'The figures are copied as CSV.'
  } catch {
    download(`${name}.csv`, csv, 'text/csv')
    return 'The figures are saved as a file.'
  }
}
