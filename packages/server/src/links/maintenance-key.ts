// The name of one occurrence of a maintenance window in addresses: 12-20261120T080000Z.

export function maintenanceKey(windowId: number, start: number): string {
  return `${windowId}-${new Date(start).toISOString().replace(/[-:]|\.000/g, '')}`
}

/** `start` is NaN if the key isn't one. */
export function readMaintenanceKey(key: string): { id: number; start: number } {
  const parts = /^(\d{1,10})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d(?:\.\d{3})?)Z$/.exec(key)
  const [, id, year, month, day, hour, minute, second] = parts ?? []
  return { id: Number(id), start: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) }
}
