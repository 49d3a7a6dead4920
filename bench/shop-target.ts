// A shop of three pages, for benchmarks of browsers.
import { createServer } from 'node:http'

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`

const pages: Record<string, string> = {
  '/': page('Shop', '<h1>Shop</h1><ul><li><a href="/socks">Socks</a></li></ul>'),
  '/socks': page(
    'Socks',
    '<h1>Socks</h1><form action="/cart"><label>Amount <input name="n"></label><button>Buy</button></form>',
  ),
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  response.setHeader('content-type', 'text/html')
  response.end(pages[url.pathname] ?? page('Cart', `<p>${Number(url.searchParams.get('n'))} in the cart</p>`))
}).listen(Number(process.env.TARGET_PORT), '127.0.0.1', () => console.log('ready'))
