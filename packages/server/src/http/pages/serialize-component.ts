import type { StatusPageComponent } from '@vedette/contracts'
import type { z } from 'zod'
import { componentName, type StatusPageComponentRow } from '../../storage/pages/status-page-components.ts'

export function serializeComponent(row: StatusPageComponentRow): z.output<typeof StatusPageComponent> {
  const isGroup = row.service_id === null
  return {
    id: row.id,
    statusPageId: row.status_page_id,
    parentId: row.parent_id,
    type: isGroup ? 'GROUP' : 'SERVICE',
    name: componentName(row),
    description: row.description,
    hidden: row.hidden,
    displayOrder: row.display_order,
    configuration: {
      ...(isGroup ? { expandedByDefault: true } : { showHistoricalData: true }),
      ...row.configuration,
    },
    serviceId: row.service_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
