// Shows and serves the images of pages. They come from the origin of the page, at an address with their hash, so that browsers
// keep them for good and visitors are unknown to the server that the owner named.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Html, html } from '../core/html.ts'
import { findImageBytes, type ImageBytes, type PageImage } from '../storage/pages/page-images.ts'
import type { PagesDeps } from './deps.ts'
import type { ThemeName } from './theme.ts'

/** By the address that the owner entered. */
export type PageImages = ReadonlyMap<string, PageImage>

interface ImageSettings {
  logo: string | null
  logoDark?: string | null | undefined
  favicon: string | null
}

/** Decorative: the name of the page is beside it. */
export function renderLogo(
  images: PageImages,
  { logo, logoDark }: Pick<ImageSettings, 'logo' | 'logoDark'>,
  { base, theme }: { base: string; theme: ThemeName },
): Html | null {
  const [plain, dark] = [images.get(logo ?? ''), images.get(logoDark ?? '')]
  const shown = theme === 'dark' ? (dark ?? plain) : (plain ?? dark)
  if (shown === undefined) return null
  const img = html`<img class="logo" src="${addressOf(base, shown)}" alt="">`
  if (theme !== 'auto' || dark === undefined || dark === shown) return img
  return html`<picture><source media="(prefers-color-scheme: dark)" srcset="${addressOf(base, dark)}">${img}</picture>`
}

export function renderIconLink(images: PageImages, { favicon }: ImageSettings, base: string): Html | null {
  const icon = images.get(favicon ?? '')
  return icon === undefined
    ? null
    : html`<link rel="icon" type="${icon.type}" href="${addressOf(base, icon)}">\n`
}

function addressOf(base: string, image: PageImage): string {
  return `${base}/images/${imageName(image)}`
}

/** With an extension, for servers of files, which choose the content type by it. */
export function imageName({ hash, type }: PageImage): string {
  return `${hash}.${type.replace('image/', '').replace('x-icon', 'ico').replace('+xml', '')}`
}

const keptBytes = 32 * 1024 * 1024
const headers = {
  'x-content-type-options': 'nosniff',
  // If it is opened by itself. Firefox applies it to the styles inside an SVG that a page shows, too.
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
}

interface ImageRequest {
  accountId: string
  images: PageImages
  /** The hash, with or without the extension. */
  name: string
  isPrivate: boolean
}

/** False: the page has no such image. */
export type SendImage = (
  request: FastifyRequest,
  reply: FastifyReply,
  image: ImageRequest,
) => Promise<boolean>

/** Keeps the bytes of images in use, so that they are served while the store is down. */
export function openImages({ store }: PagesDeps): SendImage {
  const kept = new LRUCache<string, ImageBytes>({
    maxSize: keptBytes,
    sizeCalculation: ({ bytes }) => bytes.length || 1,
  })
  return async (request, reply, { accountId, images, name, isPrivate }) => {
    const [hash = ''] = name.split('.')
    if (![...images.values()].some((image) => image.hash === hash)) return false
    const key = `${accountId} ${hash}`
    const image = kept.get(key) ?? (await findImageBytes(store.db, accountId, hash))
    if (image === null) return false
    kept.set(key, image)
    reply
      .headers(headers)
      .header('cache-control', `${isPrivate ? 'private' : 'public'}, max-age=31536000, immutable`)
      .header('etag', `"${hash}"`)
    if (request.headers['if-none-match']?.includes(hash)) reply.code(304).send()
    else reply.type(image.type).send(image.bytes)
    return true
  }
}
