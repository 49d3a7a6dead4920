// The HTML pages of the shop. Pure: products and faults are parameters.
import type { ShopSwitches } from './shop-state.ts'

export interface Product {
  id: string
  name: string
  /** In cents. */
  price: number
}

export const products: readonly Product[] = [
  { id: 'pen', name: 'Fountain pen', price: 2400 },
  { id: 'ink', name: 'Blue ink', price: 800 },
  { id: 'paper', name: 'Laid paper', price: 1250 },
  { id: 'seal', name: 'Sealing wax', price: 600 },
]

export const priceOf = ({ price }: Product, { isPriceWrong }: ShopSwitches) => (isPriceWrong ? 1 : price)

export const money = (cents: number) => `€${(cents / 100).toFixed(2)}`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export function page(
  title: string,
  content: string,
  switches: ShopSwitches,
  userName: string | null,
): string {
  const greeting =
    userName === null ? '<a href="/login">Sign in</a>' : `<span>Hello, ${escaped(userName)}</span>`
  const broken = switches.hasConsoleErrors
    ? '<script>console.error("the till is out of paper"); setTimeout(() => { throw new Error("no receipt") })</script>'
    : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<link rel="stylesheet" href="/assets/style.css"><script src="/assets/shop.js" defer></script></head>
<body><header><a href="/">The writing shop</a> <nav><a href="/cart">Cart</a> ${greeting}</nav></header>
<main>${content}</main>${broken}</body></html>`
}

export function shelf(found: readonly Product[], query: string, switches: ShopSwitches): string {
  const items = found.map(
    (product) =>
      `<li data-testid="product"><img src="/assets/${product.id}.svg" alt="${product.name}" width="80" height="80">
      <a href="/products/${product.id}">${product.name}</a> <b>${money(priceOf(product, switches))}</b></li>`,
  )
  const list = items.length > 0 ? `<ul>${items.join('')}</ul>` : '<p>Nothing found</p>'
  return `<h1>Everything for letters</h1>
<form action="/search" role="search"><label>Search <input name="q" value="${escaped(query)}"></label><button>Find</button></form>
${list}<p><a href="/catalogue.csv" download>Price list</a> <a href="/terms" target="_blank">Terms</a></p>`
}

export function productPage(product: Product, switches: ShopSwitches): string {
  const button = switches.isButtonMissing ? '' : `<button>${switches.buttonLabel}</button>`
  return `<h1>${product.name}</h1><p data-testid="price">${money(priceOf(product, switches))}</p>
<form method="post" action="/cart"><input type="hidden" name="id" value="${product.id}">${button}</form>`
}

export function cartPage(inCart: readonly Product[], switches: ShopSwitches): string {
  const rows = inCart.map(
    (product) => `<tr><td>${product.name}</td><td>${money(priceOf(product, switches))}</td></tr>`,
  )
  const total = inCart.reduce((sum, product) => sum + priceOf(product, switches), 0)
  return `<h1>Your cart</h1><table>${rows.join('')}</table><p>Total: <output>${money(total)}</output></p>
<a href="/checkout">Check out</a>`
}

export const checkoutPage = `<h1>Check out</h1><form method="post" action="/checkout">
<label>Name <input name="name" required></label>
<label>Street <input name="street" required></label>
<label>Delivery <select name="delivery"><option>Post</option><option>Bicycle</option></select></label>
<label><input type="checkbox" name="gift"> As a gift</label>
<button>Place order</button></form>`

export const orderPage = (number: string, name: string) =>
  `<h1>Thank you, ${escaped(name)}</h1><p>Order <b data-testid="order">${escaped(number)}</b></p>`

export const loginPage = (message: string) => `<h1>Sign in</h1><p role="alert">${message}</p>
<form method="post" action="/login"><label>User <input name="user"></label>
<label>Password <input name="password" type="password"></label><button>Sign in</button></form>`

/** A page with scripts: a clock, an echo over a WebSocket, a dialog. */
export const deskPage = `<h1>Front desk</h1><p id="ticks">0</p><ul id="echoes"></ul>
<button id="ask">Ask</button><button id="send">Send</button><p id="choice"></p>
<script>
let ticks = 0
const timer = setInterval(() => { document.querySelector('#ticks').textContent = ++ticks; if (ticks === 5) clearInterval(timer) }, 50)
document.querySelector('#ask').onclick = () => { document.querySelector('#choice').textContent = confirm('Wrap it?') ? 'wrapped' : 'plain' }
const socket = new WebSocket('ws://' + location.host + '/echo')
socket.onmessage = ({ data }) => { document.querySelector('#echoes').innerHTML += '<li>' + data + '</li>' }
document.querySelector('#send').onclick = () => socket.send('good day')
</script>`

export const style = `body { font: 16px sans-serif; margin: 2rem; color: #223; } header { display: flex; gap: 1rem; }
ul { display: grid; grid-template-columns: repeat(4, 1fr); list-style: none; } img { background: #eef; }`

export const script = `document.documentElement.dataset.ready = 'yes'
fetch('/api/products').then((response) => response.json()).then((list) => { document.documentElement.dataset.products = list.length }).catch(() => {})`

export const drawing = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle cx="40" cy="40" r="30" fill="#35a"/><text x="10" y="75">${escaped(name)}</text></svg>`
