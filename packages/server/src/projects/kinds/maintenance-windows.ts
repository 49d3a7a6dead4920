import { MaintenanceWindowInput, type MaintenanceWindowValues } from '@vedette/contracts'
import { changeWindow, createWindow } from '../../checks/change-maintenance-windows.ts'
import { deleteMaintenanceWindow } from '../../storage/checks/maintenance-windows.ts'
import { each, integerId, type ResourceKind, readWith } from './kind.ts'

export const maintenanceWindowKind: ResourceKind<MaintenanceWindowValues> = {
  read: (payload) => readWith(MaintenanceWindowInput, payload),
  create: (tx, { accountId, clock }, items) =>
    each(items, async ({ input }) => (await createWindow(tx, accountId, input, clock.now())).id),
  async update(tx, { accountId, clock }, items) {
    await each(items, ({ input, physicalId }) =>
      changeWindow(tx, accountId, integerId(physicalId), input, clock.now()),
    )
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await each(items, ({ physicalId }) => deleteMaintenanceWindow(tx, accountId, integerId(physicalId)))
  },
}
