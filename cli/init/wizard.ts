import { cancel, confirm, intro, isCancel, log, note, outro, password, select, spinner, text } from '@clack/prompts'
import { PLATFORMS, type PlatformName, type Tokens, tokensFile } from '../../config/tokens.ts'
import { ClawError, reason } from '../../core/errors.ts'
import { isWanted, type Registered, readTokens, TITLES } from '../platforms.ts'
import { configure } from '../settings.ts'
import { checkLive, sendTest, WHERE } from './live.ts'
import { afterwards, isPublicAddress, MODES, type Plan, type Token } from './plan.ts'
import { type InitOptions, keep, planOf, within, withKeys, writeManifest } from './step.ts'

/** Where questions are asked and answered. */
interface Streams {
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
}

/** The person has gone. Nothing is written after it. */
class Gone extends Error {}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new Gone()
  return answer as Exclude<Answer, symbol>
}

/** Asks for everything, checks it, and keeps it. Resolves to false when the person has gone before the end. */
export async function wizard(options: InitOptions, streams: Streams = {}): Promise<boolean> {
  const io = streams as { input?: NodeJS.ReadStream; output?: NodeJS.WriteStream }
  intro('Claw: which people will it talk to?', io)
  try {
    const plan = await askPlan(options, io)
    const { dataDir } = configure(options)
    const manifest = writeManifest(dataDir, plan)
    note(plan.steps.map((line, index) => `${index + 1}. ${line}`).join('\n'), TITLES[plan.platform], io)
    // By itself on its line, so that it can be followed or copied however long it is.
    if (plan.link !== null) (io.output ?? process.stdout).write(`\n${plan.link}\n`)
    if (manifest !== null) log.message(`The same app as a manifest, to paste: ${manifest}`, io)
    const registered = await askTokens(options, plan, io)
    keep(dataDir, plan, registered.tokens, options.url)
    log.success(`The tokens are in ${tokensFile(dataDir)}, which only you can read.`, io)
    await greet(registered, plan, io)
    outro('claw start connects. Then, in the workspace: /claw learn on', io)
    return true
  } catch (error) {
    if (!(error instanceof Gone)) throw error
    cancel('Nothing more is written; say claw init again to go on.', io)
    return false
  }
}

type Io = { input?: NodeJS.ReadStream; output?: NodeJS.WriteStream }

async function askPlan(options: InitOptions, io: Io): Promise<Plan> {
  const { dataDir } = configure(options)
  const tokens = readTokens(dataDir)
  const platform: PlatformName =
    options.platform ??
    answered(
      await select<PlatformName>({
        ...io,
        message: 'The platform',
        options: PLATFORMS.map((value) => ({
          value,
          label: TITLES[value],
          ...(isWanted(tokens, value) ? { hint: 'has tokens, which will be replaced' } : {}),
        })),
      }),
    )
  const modes = Object.entries<string>(MODES[platform])
  const choices = modes.map(([value, label]) => ({ value, label }))
  const only = modes.length === 1 ? modes[0]?.[0] : undefined
  const mode =
    options.mode ?? only ?? answered(await select({ ...io, message: 'How it is connected', options: choices }))
  const wantsUrl = ['http', 'many', 'webhook'].includes(mode)
  const url = wantsUrl
    ? (options.url ??
      answered(
        await text({
          ...io,
          message: 'The public address that leads to the bot',
          placeholder: 'https://claw.example.com',
          validate: (value) => (isPublicAddress(value) ? undefined : 'An address, with https://'),
        }),
      ))
    : undefined
  Object.assign(options, { platform, mode, ...(url === undefined ? {} : { url }) })
  return planOf(options)
}

/** Asks until the platform takes the tokens, or the person keeps them as they are. */
async function askTokens(options: InitOptions, plan: Plan, io: Io): Promise<Registered> {
  const { dataDir } = configure(options)
  for (;;) {
    const given: Record<string, string> = {}
    for (const token of plan.tokens) given[token.key] = await askToken(token, io)
    const tokens: Tokens = withKeys(plan, within(readTokens(dataDir), plan.platform, given))
    const registered: Registered = { config: configure(options), tokens, sandbox: false }
    const asking = spinner(io)
    asking.start(`Asking ${TITLES[plan.platform]}`)
    const { faults, application } = await checkLive(registered, plan.platform)
    asking.stop(
      faults.length === 0 ? `${TITLES[plan.platform]} knows the bot.` : `${TITLES[plan.platform]} has answered.`,
    )
    for (const { level, detail, remedy } of faults)
      log[level === 'error' ? 'error' : 'warn'](`${detail}\n${remedy}`, io)
    for (const line of afterwards(plan, application)) log.message(line, io)
    if (faults.every(({ level }) => level !== 'error')) return registered
    const anyway = answered(
      await confirm({
        ...io,
        message: 'Keep them as they are?',
        active: 'keep',
        inactive: 'ask again',
        initialValue: false,
      }),
    )
    if (anyway) return registered
  }
}

async function askToken({ variable, where, looks }: Token, io: Io): Promise<string> {
  const value = await password({
    ...io,
    message: `${variable} (${where})`,
    validate: (given) => (looks.test(given?.trim() ?? '') ? undefined : 'That is not what this token looks like'),
  })
  return answered(value).trim()
}

async function greet(registered: Registered, { platform, mode }: Plan, io: Io): Promise<void> {
  if (mode === 'many') return
  for (;;) {
    const to = answered(
      await text({
        ...io,
        message: `Where shall a test message go? (empty: nowhere) ${WHERE[platform]}`,
        defaultValue: '',
      }),
    ).trim()
    if (to === '') return
    try {
      await sendTest(registered, platform, to)
      return log.success('The test message is there.', io)
    } catch (error) {
      log.error(`${reason(error)}\n${(error instanceof ClawError && error.remedy) || ''}`, io)
    }
  }
}
