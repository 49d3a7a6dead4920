// The API of the shop: products, carts with tokens, orders.
import { randomUUID } from 'node:crypto'
import { priceOf, products } from './shop-pages.ts'
import type { ShopOrders, ShopRequest, ShopResponse, ShopSession, ShopSwitches } from './shop-state.ts'

/** By token. */
const carts = new Map<string, string[]>()

export function handleApi(
  request: ShopRequest,
  session: ShopSession,
  switches: ShopSwitches,
  orders: ShopOrders,
): ShopResponse | null {
  const { method, path } = request
  if (!path.startsWith('/api/')) return null
  if (path === '/api/products')
    return json(
      200,
      products.map((product) => ({ ...product, price: priceOf(product, switches) })),
    )
  if (path === '/api/me') return json(200, { user: session.userName })
  if (path === '/api/mirror') return json(200, { headers: request.headers, body: request.body })
  if (path === '/api/cart' && method === 'POST') {
    const token = randomUUID()
    carts.set(token, [])
    return json(201, { token })
  }
  const cart = carts.get((request.headers.authorization ?? '').replace('Bearer ', ''))
  if (cart === undefined) return json(401, { message: 'a cart is opened with POST /api/cart' })
  if (path === '/api/cart/items' && method === 'POST') return addItem(request, cart)
  if (path === '/api/cart') return json(200, { items: cart, total: totalOf(cart, switches) })
  if (path === '/api/orders' && method === 'POST') {
    if (switches.isCheckoutBroken) return json(500, { message: 'the till is broken' })
    const number = `B-${1000 + orders.size}`
    orders.set(number, { cart: cart.splice(0), name: 'a program' })
    return json(201, { number })
  }
  const order = orders.get(path.replace('/api/orders/', ''))
  return order ? json(200, order) : json(404, { message: 'there is nothing of that name' })
}

function addItem({ body }: ShopRequest, cart: string[]): ShopResponse {
  const { id } = JSON.parse(body) as { id?: unknown }
  const product = products.find((one) => one.id === id)
  if (!product) return json(422, { message: 'there is no such product' })
  cart.push(product.id)
  return json(201, { items: cart.length })
}

const totalOf = (cart: readonly string[], switches: ShopSwitches) =>
  products.filter(({ id }) => cart.includes(id)).reduce((sum, product) => sum + priceOf(product, switches), 0)

const json = (status: number, value: unknown): ShopResponse => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})
