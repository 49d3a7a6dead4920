/** The path of the server's address, if it has one: a proxy may serve it below another path. */
export const basePath = document.querySelector('meta[name="vedette-base"]')?.getAttribute('content') ?? ''

/** Links to files are relative to the server, unless the operator gave them a host of their own. */
export function fileUrl(url: string): string {
  return url.startsWith('/') ? basePath + url : url
}
