import { publicUrl } from '../core/public-url.ts'
import { writeDirectory } from '../pages/export/directory.ts'
import { siteFiles } from '../pages/export/site.ts'
import type { Command, Input, Output } from './command.ts'
import { withStore } from './connect.ts'

export const pageCommands: Record<string, Command> = {
  'pages export': {
    usage: 'pages export DIR [--include-private] [--url URL]',
    summary: 'writes the status pages into a directory as files for any web server',
    options: { 'include-private': { type: 'boolean' }, url: { type: 'string' } },
    words: 1,
    run: exportPages,
  },
}

async function exportPages(input: Input): Promise<Output> {
  const { config } = input
  const [folder = ''] = input.words
  const url = (input.text('url') ?? config.PAGES_EXPORT_URL ?? `${publicUrl(config)}/s`).replace(/\/+$/, '')
  const options = { url, includePrivate: input.flag('include-private') }
  const manifest = await withStore(config, {}, ({ db }) =>
    writeDirectory(folder, siteFiles(db, options, Date.now())),
  )
  const paths = Object.keys(manifest)
  const pages = paths.filter((path) => /^[^/]+\/index\.html$/.test(path)).map((path) => path.split('/')[0])
  return {
    json: { folder, pages, files: paths.length },
    text:
      pages.length === 0
        ? 'There is no public status page to export.'
        : `Wrote ${paths.length} files of ${pages.length} status pages (${pages.join(', ')}) into ${folder}.`,
  }
}
