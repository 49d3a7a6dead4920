import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './install.mjs'

const read = (file) => readFileSync(join(root, file), 'utf8')
const documents = execFileSync('git', ['ls-files', '*.md', '.github/*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

/** As GitHub derives it from a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

const removeCode = (text) => text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`]*`/g, '')

describe('documents', () => {
  it.each(documents)('%s: links point to files and headings that exist', (document) => {
    const links = [...removeCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link)
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false
      const [path, anchor] = link.split('#')
      const file = path === '' ? document : join(dirname(document), path)
      if (!existsSync(join(root, file))) return true
      const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading))
      return anchor !== undefined && !headings.includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it('name the commit and the changes of every release', () => {
    const releases = Object.entries(JSON.parse(read('docs/releases.json')))
    expect(releases.length).toBeGreaterThan(0)
    for (const [version, commit] of releases) {
      expect(commit).toMatch(/^[0-9a-f]{40}$/)
      expect(read('CHANGELOG.md')).toContain(`\n## ${version} (`)
    }
  })
})

describe('the Dockerfile', () => {
  it('installs the browser packages that npm start installs', () => {
    const [, list] = /const packages = \[(.*?)\]/s.exec(read('scripts/browser.mjs'))
    const wanted = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name)
    const installed = read('Dockerfile').split(/\s+/)
    expect(wanted.filter((name) => !installed.includes(name))).toEqual([])
  })

  it('runs every published image as a user that is not root', () => {
    const stages = read('Dockerfile')
      .split(/^FROM /m)
      .slice(1)
    const published = stages.filter((stage) => /^CMD /m.test(stage))
    expect(published.map((stage) => / AS (\S+)/.exec(stage)[1])).toEqual(['agent', 'agent-browser', 'server'])
    for (const stage of published) expect(stage).toContain('\nUSER 10001:10001\n')
  })
})
