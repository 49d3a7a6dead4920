// How long a person waits in the app, with 10,000 checks and with 10: median of visits in Chromium, with and without a slow processor.
// npm run bench -- web [live]: live only. BENCH_VISITS=3 and BENCH_CHECKS=1000 make it quick while developing.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './load.ts'
import { UndisturbedMeasurements } from './machine-time.ts'
import { measureLive } from './watching-clients.ts'
import { type Figure, figureNames, figures, rowSign } from './web-figures.ts'
import { openWebStage, slowDown, type WebStage } from './web-stage.ts'

const many = Number(process.env.BENCH_CHECKS ?? 10_000)
const visits = Number(process.env.BENCH_VISITS ?? 9)
const isLiveOnly = process.argv[2] === 'live'
const slowdown = 4
/** Milliseconds without a slow processor. */
const goals: Record<Figure, number> = {
  'home, cold': 1500,
  'home, warm': 1000,
  'checks, cold': 1500,
  'checks, warm': 1000,
  'filter keystroke': 100,
  'filter, last key': 100,
  'check page': 700,
}
const maxRatio = 1.5
const longFrameMs = 50

const missed: string[] = []
const undisturbed = new UndisturbedMeasurements()
const stages: WebStage[] = []
const closers: (() => Promise<void>)[] = []

async function openStage(checkCount: number): Promise<WebStage> {
  const stage = await openWebStage(checkCount, (close) => closers.push(close))
  // Not measured: the server compiles its code, and the browser fills its cache.
  for (const name of figureNames()) await figures[name](stage, 1)
  return stage
}

async function measureFigures(rate: number): Promise<((name: Figure) => number[])[]> {
  const measured = stages.map(() => new Map<Figure, number[]>(figureNames().map((name) => [name, []])))
  for (let visit = 0; visit < visits; visit++) {
    for (const name of figureNames()) {
      for (const [index, stage] of stages.entries())
        measured[index]?.get(name)?.push(await undisturbed.measure(() => figures[name](stage, rate)))
    }
  }
  return measured.map((ofStage) => (name) => ofStage.get(name) ?? [])
}

function print(rate: number, name: Figure, few: number[], all: number[]): void {
  const [small, large] = [median(few), median(all)]
  const ratio = large / small
  const isQuick = rate > 1 || large <= goals[name]
  const isEven = ratio <= maxRatio
  if (!isQuick || !isEven) missed.push(`${name}${rate === 1 ? '' : `, ${rate} times slower`}`)
  const goal = rate > 1 ? '' : `goal ${goals[name]} ms: ${isQuick ? 'met' : 'MISSED'}, `
  console.log(
    `${name.padEnd(18)} 10: ${ms(small)}  ${many}: ${ms(large)} (${ms(Math.min(...all))} to ${ms(Math.max(...all))})  ${goal}ratio ${ratio.toFixed(2)} of ${maxRatio}: ${isEven ? 'met' : 'MISSED'}`,
  )
}

function ms(value: number): string {
  return `${value.toFixed(0).padStart(5)} ms`
}

async function measureScrolling(rate: number): Promise<void> {
  const stage = stages.at(-1)
  if (stage === undefined) return
  const counts: number[] = []
  for (let visit = 0; visit < visits; visit++)
    counts.push(await undisturbed.measure(() => countLongFrames(stage, rate)))
  const isMet = rate > 1 || median(counts) === 0
  if (!isMet) missed.push('scrolling')
  const goal = rate > 1 ? '' : `  goal 0: ${isMet ? 'met' : 'MISSED'}`
  console.log(
    `scrolling          ${median(counts)} of 180 frames over ${longFrameMs} ms (${counts.join(', ')})${goal}`,
  )
}

/** Three seconds down the list of all checks. */
async function countLongFrames({ page, vedette }: WebStage, rate: number): Promise<number> {
  await page.goto(`${vedette.url}/checks`)
  await page.locator(rowSign).waitFor()
  await page.locator('.progress.busy').waitFor({ state: 'detached' })
  await slowDown(page, rate)
  const frames = await page.evaluate<number[]>(
    `new Promise((resolve) => {
      const frames = []
      let before = null
      const step = (now) => {
        if (before !== null) frames.push(now - before)
        before = now
        scrollBy(0, 60)
        if (frames.length < 180) requestAnimationFrame(step)
        else resolve(frames)
      }
      requestAnimationFrame(step)
    })`,
  )
  await slowDown(page, 1)
  // A screen that is opened again has its old position, where the first row isn't rendered.
  await page.evaluate('scrollTo(0, 0)')
  return frames.filter((took) => took > longFrameMs).length
}

execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build-web.mjs', import.meta.url))], {
  stdio: 'inherit',
})
try {
  // Both at once and by turns: what else the machine does slows both down.
  for (const checkCount of isLiveOnly ? [many] : [10, many]) stages.push(await openStage(checkCount))
  for (const rate of isLiveOnly ? [] : [1, slowdown]) {
    const [few, all] = await measureFigures(rate)
    console.log(`\n${rate === 1 ? 'This processor' : `${rate} times slower`}, median of ${visits}:`)
    for (const name of figureNames()) print(rate, name, few?.(name) ?? [], all?.(name) ?? [])
    await measureScrolling(rate)
  }
  if (!isLiveOnly) console.log(undisturbed.describe())
  const large = stages.at(-1)
  // The app in it is a client too.
  await large?.page.close()
  if (large !== undefined && !(await measureLive(large.vedette, many))) missed.push('live')
} finally {
  for (const close of closers) await close()
}
console.log(missed.length === 0 ? '\nall goals met' : `\nMISSED: ${missed.join(', ')}`)
process.exitCode = missed.length === 0 ? 0 : 1
