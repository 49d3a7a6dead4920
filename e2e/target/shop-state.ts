// The state of the shop and its switches.
import type { IncomingMessage } from 'node:http'

export interface ShopSwitches {
  /** The checkout responds with 500. */
  isCheckoutBroken: boolean
  /** Before every page and every response of the API. */
  delayMs: number
  isPriceWrong: boolean
  isButtonMissing: boolean
  /** The label of the button that puts a product into the cart. */
  buttonLabel: string
  hasConsoleErrors: boolean
  /** The stylesheet responds with 404. */
  isAssetMissing: boolean
  /** The home page redirects to itself. */
  isLooping: boolean
}

export const allWell: ShopSwitches = {
  isCheckoutBroken: false,
  delayMs: 0,
  isPriceWrong: false,
  isButtonMissing: false,
  buttonLabel: 'Add to cart',
  hasConsoleErrors: false,
  isAssetMissing: false,
  isLooping: false,
}

export interface ShopSession {
  cart: string[]
  userName: string | null
}

/** By number. */
export type ShopOrders = Map<string, { cart: string[]; name: string }>

export interface ShopRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface ShopResponse {
  status?: number
  type?: string
  headers?: Record<string, string>
  body?: string
}

/** The user who can sign in. */
export const customer = { user: 'alice', password: 'nib and feather' } as const
