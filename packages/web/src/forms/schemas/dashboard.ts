import { DashboardInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'

export const dashboardProblems = (values: unknown) => issuesOf(DashboardInput, values)
