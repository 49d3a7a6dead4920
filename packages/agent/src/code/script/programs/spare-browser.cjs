// A browser that is started ahead of the script, for one run. If Playwright would start the same program (same command,
// arguments, directory and environment), its `spawn` returns that process; otherwise it launches as usual. Load it before
// Playwright: some versions keep a reference to `spawn`.
'use strict'
const childProcess = require('node:child_process')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const spawn = childProcess.spawn
const profileArg = '--user-data-dir='
/** Variables that Chromium and its libraries read. An extra name forces a cold launch; a missing one ignores a user setting. */
const readByBrowsers =
  /^(TZ\w*|LANG\w*|LC_\w+|HOME|PATH|TMPDIR|DISPLAY|XAUTHORITY|SNAP\w*|\w+_PROXY|SOCKS_\w+|SSL\w+|RUNNING_UNDER_RR|(ANGLE|CHROME|CHROMIUM|DBUS|DESKTOP|EGL|EXPAT|FC|FLATPAK|FONTCONFIG|FREETYPE|G|GALLIUM|GDK|GIO|GLIBC|GNOME|GOBJECT|GOOGLE|GTK|ICU|KDE|KRB5|KRB5CCNAME|LD|LIBGL|LIBVA|LP|MALLOC|MESA|NSPR|NSS|OPENSSL|PULSE|SBX|SQLITE|VK|WAYLAND|XDG)(_\w+)?)$/i

let spare = null
let onLaunch = null

childProcess.spawn = launch

function launch(command, args, options) {
  const profile = Array.isArray(args) ? args.find((arg) => String(arg).startsWith(profileArg)) : undefined
  if (profile === undefined) return spawn.call(this, command, args, options)
  if (onLaunch) return onLaunch({ command, args, options })
  return (
    take({ command, args, options }, profile.slice(profileArg.length)) ??
    spawn.call(this, command, args, options)
  )
}

/** With default options, like most scripts. */
exports.start = async ({ chromium }) => {
  const planned = await findLaunch(chromium)
  if (planned === null) return
  const { command, args, options } = planned
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'playwright_chromiumdev_profile-'))
  const facts = { folder, ...factsOf(planned) }
  const own = args.map((arg) => (arg.startsWith(profileArg) ? `${profileArg}${folder}` : arg))
  hold(spawn(command, own, options), facts)
}

/** The command that Playwright would start. Its launch fails, and Playwright removes its directories. */
async function findLaunch(chromium) {
  let planned = null
  onLaunch = (given) => {
    planned = given
    const refused = new EventEmitter()
    setImmediate(() => refused.emit('error', new Error('not started')))
    return refused
  }
  await chromium.launch().catch(() => {})
  onLaunch = null
  return planned
}

function hold(child, facts) {
  spare = { child, facts }
  child.on('error', () => {})
  child.once('close', () => removeFolder(facts.folder))
  child.unref()
  for (const stream of child.stdio) stream?.unref()
  process.on('exit', () => end(child))
}
exports.drop = () => {
  const held = spare
  spare = null
  if (held) end(held.child)
}

function take(launched, profile) {
  if (spare === null) return null
  const { child, facts } = spare
  if (!isAlive(child) || !isSame(facts, launched) || !linkProfile(facts.folder, profile)) {
    exports.drop()
    return null
  }
  spare = null
  child.ref()
  for (const stream of child.stdio) stream?.ref()
  return child
}

function factsOf({ command, args, options = {} }) {
  const { env, cwd, stdio, ...others } = options
  const read = Object.entries(env ?? process.env).filter(([name]) => readByBrowsers.test(name))
  return {
    program: [command, args.filter((arg) => !String(arg).startsWith(profileArg)), stdio, others],
    env: read.sort(([a], [b]) => (a < b ? -1 : 1)),
    cwd: path.resolve(cwd ?? '.'),
    home: settingsIn(Object.fromEntries(read).HOME),
  }
}

/** Browsers read settings, fonts and certificates from there when they start. */
function settingsIn(home) {
  try {
    const names = fs.readdirSync(home).filter((name) => name.startsWith('.'))
    return names.sort()
  } catch {
    return []
  }
}

function isSame({ folder: _folder, ...facts }, launched) {
  try {
    return JSON.stringify(facts) === JSON.stringify(factsOf(launched))
  } catch {
    // The directory was removed, or the options can't be serialized.
    return false
  }
}

/** Its parent may not have received the exit yet. */
function isAlive({ pid, exitCode, signalCode }) {
  if (!pid || exitCode !== null || signalCode !== null) return false
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Replaces Playwright's empty profile by a link to the one in use. Playwright removes the link, `hold` the directory. */
function linkProfile(folder, profile) {
  try {
    fs.rmdirSync(profile)
    fs.symlinkSync(folder, profile)
    return true
  } catch {
    fs.mkdirSync(profile, { recursive: true, mode: 0o700 })
    return false
  }
}

function end({ pid, exitCode, signalCode }) {
  try {
    if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function removeFolder(folder) {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // The cell removes it.
  }
}
