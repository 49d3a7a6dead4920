import { afterAll, beforeAll, describe, expect } from 'vitest'
import { Scene } from '../scene.ts'
import { automatic } from './root-cause/automatic.ts'
import { Bakery } from './root-cause/bakery.ts'
import { inWordsThatFit } from './root-cause/in-words-that-fit.ts'
import { ModelServer } from './root-cause/model-server.ts'
import { onTheIsland } from './root-cause/on-the-island.ts'
import { onTheNetwork } from './root-cause/on-the-network.ts'
import { responseFailures } from './root-cause/response-failures.ts'
import { withoutEvidence } from './root-cause/without-evidence.ts'
import { wordedByAModel } from './root-cause/worded-by-a-model.ts'

describe('the analysis of a failing check', { timeout: 120_000 }, () => {
  const scene = new Scene()
  const bakery = new Bakery(scene)
  const model = new ModelServer()
  beforeAll(async () => {
    await model.open()
    await scene.open(model.settings)
    await bakery.open()
  }, 180_000)
  afterAll(async () => {
    await scene.close()
    await bakery.close()
    await model.close()
    expect(model.faults).toEqual([])
    // The model was asked to word every analysis, and got no secret.
    expect(model.received).toContain('/v1/chat/completions')
    expect(model.received).not.toContain(bakery.secret)
  })

  describe('explains', { concurrent: true }, () => {
    describe('names and addresses:', () => onTheIsland(scene))
    describe('the network:', () => onTheNetwork(scene))
    describe('the response:', () => responseFailures(scene, bakery))
    describe('in exact words:', () => inWordsThatFit(scene, bakery))
    describe('without evidence: it', () => withoutEvidence(scene, bakery))
    wordedByAModel(scene, bakery, model)
  })

  // Runs alone: afterwards every new failure of the account is analyzed.
  describe('starts', () => automatic(scene, bakery))
})
