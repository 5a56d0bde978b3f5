import type { Config } from '../config/config.ts'
import { listModels, modelInfo, resolveModel } from '../core/model/catalogue.ts'
import { megabytes, pullWithProgress } from './progress.ts'
import { prepareData } from './settings.ts'

interface Output {
  readonly json?: boolean
}

const million = (count: number): string => `${Math.round(count / 1e6)}M`
const print = (text: string): void => console.log(text)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** `claw model list` */
export function list(config: Config, { json }: Output): void {
  const models = listModels(config.dataDir)
  if (json) {
    printJson(models.map((model) => ({ ...model, inUse: model.name === config.model })))
    return
  }
  const row = (mark: string, name: string, parameters: string, license: string, here: string) =>
    print(`${mark} ${name.padEnd(24)} ${parameters.padStart(10)}  ${license.padEnd(12)} ${here}`)
  row(' ', 'model', 'parameters', 'license', 'here')
  for (const { name, parameters, license, size } of models) {
    row(name === config.model ? '*' : ' ', name, million(parameters), license, size === null ? 'no' : megabytes(size))
  }
  print('\n* is the one in use. `claw model pull NAME` fetches one, `--model NAME` uses it.')
}

/** `claw model pull [name]` */
export async function pull(config: Config, name: string, { json }: Output): Promise<void> {
  prepareData(config.dataDir)
  const path = await pullWithProgress(name, config.dataDir)
  if (json) printJson({ name, path })
  else print(`${name} is in ${path}`)
}

/** `claw model info [name]` */
export async function info(config: Config, nameOrPath: string, { json }: Output): Promise<void> {
  const model = await modelInfo(resolveModel(nameOrPath, config.dataDir))
  if (json) {
    printJson(model)
    return
  }
  const { layers, hiddenSize, heads, kvHeads, vocabSize } = model.config
  const rows: readonly (readonly [string, string])[] = [
    ['name', model.name],
    ['file', model.path],
    ['size', `${megabytes(model.size)}, ${model.quantisation}`],
    ['parameters', million(model.parameters)],
    ['network', `${layers} layers, width ${hiddenSize}, ${heads} heads over ${kvHeads} of keys, ${vocabSize} tokens`],
    ['context', `${model.contextLength} tokens`],
    ['license', model.license ?? 'not stated'],
    ['source', model.source ?? 'your own file'],
    ['sha256', model.hash],
  ]
  for (const [label, value] of rows) print(`${label.padEnd(11)} ${value}`)
}
