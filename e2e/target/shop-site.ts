// The web site of the shop: its pages and forms.

import {
  cartPage,
  checkoutPage,
  deskPage,
  drawing,
  loginPage,
  money,
  orderPage,
  page,
  priceOf,
  productPage,
  products,
  script,
  shelf,
  style,
} from './shop-pages.ts'
import {
  customer,
  type ShopOrders,
  type ShopRequest,
  type ShopResponse,
  type ShopSession,
  type ShopSwitches,
} from './shop-state.ts'

export function handlePage(
  request: ShopRequest,
  session: ShopSession,
  switches: ShopSwitches,
  orders: ShopOrders,
): ShopResponse | null {
  const shown = (title: string, content: string, status = 200): ShopResponse => ({
    status,
    body: page(title, content, switches, session.userName),
  })
  const { method, path, query, body } = request
  const form = new URLSearchParams(body)
  if (path.startsWith('/assets/')) return asset(path, switches)
  if (path === '/')
    return switches.isLooping ? to('/') : shown('The writing shop', shelf(products, '', switches))
  if (path === '/search') {
    const words = query.get('q') ?? ''
    const found = products.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
    return shown(`Search: ${words}`, shelf(found, words, switches))
  }
  const product = products.find(({ id }) => path === `/products/${id}`)
  if (product) return shown(product.name, productPage(product, switches))
  if (path === '/cart' && method === 'POST') {
    session.cart.push(form.get('id') ?? '')
    return to('/cart')
  }
  if (path === '/cart') return shown('Cart', cartPage(contentOf(session), switches))
  if (path === '/checkout' && method === 'POST') {
    if (switches.isCheckoutBroken) return shown('Sorry', '<h1>Sorry, the till is broken</h1>', 500)
    const number = `A-${1000 + orders.size}`
    orders.set(number, { cart: session.cart.splice(0), name: form.get('name') ?? '' })
    return to(`/orders/${number}`)
  }
  if (path === '/checkout') return shown('Check out', checkoutPage)
  const number = path.startsWith('/orders/') ? path.slice('/orders/'.length) : ''
  const order = orders.get(number)
  if (order) return shown('Thank you', orderPage(number, order.name))
  if (path === '/login' && method === 'POST')
    return signIn(form, session) ?? shown('Sign in', loginPage('Wrong password'), 401)
  if (path === '/login') return shown('Sign in', loginPage(''))
  if (path === '/terms') return shown('Terms', '<h1>Terms of the shop</h1>')
  if (path === '/desk') return shown('Front desk', deskPage)
  if (path === '/catalogue.csv') return catalogue(switches)
  return null
}

export const notFound: ShopResponse = { status: 404, body: '<h1>There is no such page</h1>' }

const to = (location: string): ShopResponse => ({ status: 303, headers: { location } })

function contentOf({ cart }: ShopSession) {
  return cart.flatMap((id) => products.find((product) => product.id === id) ?? [])
}

function signIn(form: URLSearchParams, session: ShopSession): ShopResponse | null {
  if (form.get('user') !== customer.user || form.get('password') !== customer.password) return null
  session.userName = customer.user
  return to('/')
}

function asset(path: string, { isAssetMissing }: ShopSwitches): ShopResponse | null {
  const name = path.slice('/assets/'.length)
  if (name === 'style.css') return isAssetMissing ? notFound : { type: 'text/css', body: style }
  if (name === 'shop.js') return { type: 'text/javascript', body: script }
  return { type: 'image/svg+xml', body: drawing(name.replace('.svg', '')) }
}

function catalogue(switches: ShopSwitches): ShopResponse {
  const lines = products.map(
    (product) => `${product.id},${product.name},${money(priceOf(product, switches))}`,
  )
  return {
    type: 'text/csv',
    headers: { 'content-disposition': 'attachment; filename="catalogue.csv"' },
    body: ['id,name,price', ...lines, ''].join('\n'),
  }
}
