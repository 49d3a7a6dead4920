// Which checks are on the same shard, if history is distributed. Some statements run only on one shard, such as "the latest
// results of each check"; and a transaction that writes to few shards has fewer machines to wait for.

export interface Shard {
  /** The lowest hash of its checks. */
  start: number
  /** The machine that it is on. */
  node: number
}

/** By hash; empty: history isn't distributed. */
let shards: readonly Shard[] = []

/** Of this process; it is read again from time to time. */
export function useShards(known: readonly Shard[]): void {
  shards = known
}

/** One group for all if history isn't distributed. Statements must also restrict check_id to the ids of the group. */
export function groupByShard<T>(items: readonly T[], checkIdOf: (item: T) => string): T[][] {
  return group(items, (item) => shardOf(checkIdOf(item)))
}

/** As groupByShard, with all shards of a machine in one group. */
export function groupByNode<T>(items: readonly T[], checkIdOf: (item: T) => string): T[][] {
  return group(items, (item) => shards[shardOf(checkIdOf(item))]?.node)
}

function group<T>(items: readonly T[], keyOf: (item: T) => number | undefined): T[][] {
  if (items.length === 0) return []
  if (shards.length < 2 || items.length === 1) return [[...items]]
  return [...Map.groupBy(items, keyOf).values()]
}

function shardOf(checkId: string): number {
  const hash = uuidHash(checkId)
  return shards.findLastIndex(({ start }) => start <= hash)
}

const rotate = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))

/** The function `uuid_hash` of PostgreSQL: Bob Jenkins's lookup3 over the 16 bytes. */
export function uuidHash(uuid: string): number {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  const initial = (0x9e3779b9 + 16 + 3923095) | 0
  let a = (initial + bytes.readInt32LE(0)) | 0
  let b = (initial + bytes.readInt32LE(4)) | 0
  let c = (initial + bytes.readInt32LE(8)) | 0
  a = ((a - c) | 0) ^ rotate(c, 4)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotate(a, 6)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotate(b, 8)
  b = (b + a) | 0
  a = ((a - c) | 0) ^ rotate(c, 16)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotate(a, 19)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotate(b, 4)
  b = (b + a) | 0
  a = (a + bytes.readInt32LE(12)) | 0
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}
