import { afterAll, beforeAll, describe } from 'vitest'
import { Scene } from '../scene.ts'
import { browserChecks } from './code-checks/browser-checks.ts'
import { lackingAgents } from './code-checks/lacking-agents.ts'
import { multiStepChecks } from './code-checks/multi-step-checks.ts'
import { suites } from './code-checks/suites.ts'
import { testedCode } from './code-checks/tested-code.ts'

// One installation with its built-in agent. Each story has its own shop, and its tests run one after another.
describe('code checks', { timeout: 180_000, concurrent: true }, () => {
  const scene = new Scene()
  beforeAll(() => scene.open(), 180_000)
  afterAll(() => scene.close())

  describe('a browser check', () => browserChecks(scene))
  describe('a multi-step check', () => multiStepChecks(scene))
  describe('a Playwright suite', () => suites(scene))
  describe('an agent that lacks', () => lackingAgents(scene))
  describe('tested, scheduled and viewed', () => testedCode(scene))
})
