// The part of `vedette doctor` about this machine: browser, runtimes and isolation of code. Prints one JSON value.
import type { Finding } from '@vedette/contracts'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { errorMessage } from '@vedette/safeguards/errors'
import { readBrowserSettings, readIsolationSettings, readRuntimesDir } from './config.ts'
import { findBrowsers } from './runtimes/browsers.ts'
import { findRuntime } from './runtimes/find-runtime.ts'
import { missingBrowserMessage } from './runtimes/missing.ts'
import type { Isolation } from './sandbox/cell.ts'
import { cellLevel, closeCells } from './sandbox/open-cell.ts'
import {
  type LimitsSetting,
  limitsHint,
  missingSentence,
  type SandboxSetting,
} from './sandbox/requirement.ts'

const levelSubject = 'Isolation of code'
const levelFix =
  'Install bubblewrap (Debian: apt install bubblewrap), and change what is missing. ' +
  'For containers, docs/operations.md names all settings.'

const findings = [...browserFindings(), runtimesFinding(), ...(await isolationFindings())]
process.stdout.write(`${JSON.stringify(findings)}\n`)

function browserFindings(): Finding[] {
  const settings = readBrowserSettings()
  const { headlessShell, ffmpeg } = findBrowsers(settings)
  return [browserFinding(headlessShell, settings.chromiumPath), videoFinding(ffmpeg)]
}

function browserFinding(headlessShell: string | null, chromiumPath: string | undefined): Finding {
  const subject = 'Browser'
  if (headlessShell !== null) return { subject, level: 'ok', message: `${headlessShell}.` }
  if (chromiumPath === undefined) {
    const message = 'There is no Chromium: browser checks fail on this machine.'
    return { subject, level: 'warning', message, fix: missingBrowserMessage('chromium') }
  }
  const message = `CHROMIUM_PATH is ${chromiumPath}, which isn't a program: browser checks fail on this machine.`
  return { subject, level: 'problem', message, fix: 'Correct CHROMIUM_PATH, or unset it.' }
}

function videoFinding(ffmpeg: string | null): Finding {
  const subject = 'Video'
  if (ffmpeg !== null) return { subject, level: 'ok', message: `${ffmpeg}.` }
  const message = 'There is no ffmpeg: runs of browser checks have no video.'
  return { subject, level: 'warning', message, fix: 'On Debian: apt-get install ffmpeg.' }
}

function runtimesFinding(): Finding {
  const subject = 'Runtimes'
  const folder = readRuntimesDir()
  const installed = runtimeIds.filter((name) => findRuntime(name, folder) !== null)
  if (installed.length > 0) return { subject, level: 'ok', message: `${installed.join(', ')} in ${folder}.` }
  const message = `None is installed in ${folder}: the first run of a script waits for the installation.`
  return { subject, level: 'warning', message, fix: `vedette runtime install ${runtimeIds[0]}` }
}

async function isolationFindings(): Promise<Finding[]> {
  const { sandbox, limits } = readIsolationSettings()
  try {
    const isolation = await cellLevel(sandbox)
    return [levelFinding(isolation, sandbox), limitsFinding(isolation, limits)]
  } catch (error) {
    return [{ subject: levelSubject, level: 'problem', message: errorMessage(error), fix: levelFix }]
  } finally {
    await closeCells()
  }
}

function levelFinding({ level, layers, missing }: Isolation, setting: SandboxSetting): Finding {
  const subject = levelSubject
  if (level === 'strong') return { subject, level: 'ok', message: `Strong: ${layers.join(', ')}.` }
  const hint = missing.length === 0 ? '' : ` ${missingSentence(missing)}.`
  if (level === 'fallback') {
    const message = `Fallback: ${layers.join(', ')}. Run only code of people whom you trust.${hint}`
    return { subject, level: 'warning', message, fix: levelFix }
  }
  const message = `Isolated as the user of the agent: ${layers.join(', ')}.`
  if (setting !== 'require') return { subject, level: 'ok', message: `${message}${hint}` }
  const refusal = `${message} AGENT_SANDBOX=require needs a user for each run, so no code runs.`
  return { subject, level: 'problem', message: refusal, fix: hint.trim() }
}

/** Of the group of this shell: that of a service differs. */
function limitsFinding({ limitsMissing }: Isolation, setting: LimitsSetting): Finding {
  const subject = 'Limits of code'
  if (limitsMissing === undefined)
    return { subject, level: 'ok', message: 'By the kernel: each run has a cgroup of its own.' }
  const message = `Measured by the agent: ${limitsMissing}. An agent that runs as a service or in a container logs its own limits (sandbox.level).`
  if (setting !== 'require') return { subject, level: 'ok', message }
  const refusal = `${message} AGENT_LIMITS=require refuses code.`
  return { subject, level: 'problem', message: refusal, fix: `${limitsHint}.` }
}
