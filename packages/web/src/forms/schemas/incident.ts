import {
  DashboardIncidentInput,
  DashboardIncidentUpdateInput,
  StatusPageIncidentInput,
  StatusPageIncidentUpdateInput,
} from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'

export const incidentProblems = (values: unknown) => issuesOf(StatusPageIncidentInput, values)
export const incidentUpdateProblems = (values: unknown) => issuesOf(StatusPageIncidentUpdateInput, values)
export const dashboardIncidentProblems = (values: unknown) => issuesOf(DashboardIncidentInput, values)
export const dashboardUpdateProblems = (values: unknown) => issuesOf(DashboardIncidentUpdateInput, values)

const editable = StatusPageIncidentInput.omit({ incidentUpdates: true })
export const incidentDetailProblems = (values: unknown) => issuesOf(editable, values)
