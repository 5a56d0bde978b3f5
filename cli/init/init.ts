import { configure, prepareData } from '../settings.ts'
import { type Done, type InitOptions, step } from './step.ts'

/** `claw init`: a wizard where a person sits at the screen, else one step with flags. Throws CONFIG_INVALID. */
export async function init(options: InitOptions): Promise<void> {
  const { dataDir } = configure(options)
  prepareData(dataDir)
  if (options.json !== true && options.stdin !== true && process.stdin.isTTY && process.stdout.isTTY) {
    const { wizard } = await import('./wizard.ts')
    if (!(await wizard(options))) process.exitCode = 1
    return
  }
  const done = await step(options)
  process.stdout.write(options.json ? `${JSON.stringify(done, null, 2)}\n` : report(done))
  if (!done.ready) process.exitCode = 1
}

function report({ platform, ready, link, manifest, steps, lacking, findings, tokens, test }: Done): string {
  const lines = [
    ...(ready || link === null ? [] : [link]),
    ...(manifest === null ? [] : [`The app's manifest is in ${manifest}`]),
    ...steps.map((line, index) => `${index + 1}. ${line}`),
    ...findings.map(
      ({ state, name, detail, remedy }) => `${state}: ${name}: ${detail}${remedy === null ? '' : ` → ${remedy}`}`,
    ),
    ...(lacking.length === 0 ? [] : [`Then set ${lacking.join(' and ')} and say this again.`]),
    ...(tokens === null ? [] : [`The tokens of ${platform} are in ${tokens}; claw start connects.`]),
    ...(test === null ? [] : ['The test message was sent.']),
  ]
  return `${lines.join('\n')}\n`
}
