import { loadConfig } from '../config/config.ts'
import { reason } from '../core/errors.ts'
import { resolveModel } from '../core/model/catalogue.ts'

/** The default model where it is pulled, else null: tests on real weights skip without it. */
export const realModel: string | null = find()

function find(): string | null {
  const { model, dataDir } = loadConfig()
  try {
    return resolveModel(model, dataDir)
  } catch (error) {
    console.warn(`Skipping tests on real weights: ${reason(error)} (claw model pull ${model})`)
    return null
  }
}
