import { afterAll, beforeAll, describe } from 'vitest'
import { Scene } from '../scene.ts'
import { browserChecks } from './code-checks/browser-checks.ts'
import { lackingAgents } from './code-checks/lacking-agents.ts'
import { multiStepChecks } from './code-checks/multi-step-checks.ts'
import { suites } from './code-checks/suites.ts'
import { testedCode } from './code-checks/tested-code.ts'

// One installation, and the agent that comes with it. Each story has a shop of its own, and its tests come one after another.
describe('what code finds', { timeout: 180_000, concurrent: true }, () => {
  const scene = new Scene()
  beforeAll(() => scene.open(), 180_000)
  afterAll(() => scene.close())

  describe('a browser check', () => browserChecks(scene))
  describe('a multi-step check', () => multiStepChecks(scene))
  describe('a Playwright suite', () => suites(scene))
  describe('what an agent lacks', () => lackingAgents(scene))
  describe('tested, scheduled and looked at', () => testedCode(scene))
})
