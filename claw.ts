#!/usr/bin/env node
import { createRequire } from 'node:module'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ChatOptions } from './cli/chat.ts'
import type { DemoOptions } from './cli/demo/demo.ts'
import type { DoctorOptions } from './cli/doctor/doctor.ts'
import type { InitOptions } from './cli/init/step.ts'
import { outcome } from './cli/outcome.ts'
import { configure, dataOption, memoryOption, modelOption, type Settings } from './cli/settings.ts'
import type { StartOptions } from './cli/start.ts'
import { PLATFORMS } from './config/tokens.ts'

const HELP = `
Examples:
  claw start                          its page, in the browser; the first start fetches the model
  claw sandbox                        and \`claw start\` in another terminal: the three platforms, without a token
  claw init                           connect Slack, Discord or Telegram; then \`claw start\`
  claw doctor                         what is set up wrong, and what to do
  claw chat --person ada              talk in the terminal, as Ada; the wishes it keeps are then hers
  claw chat --conversation trip       go on with a conversation
  claw chat --memory off              without notes: only what the weights have learned
  claw demo --wish warm               a simulated person teaches it; minutes
  claw model list                     what there is, and what is here
  claw chat --model ./my-model.gguf   another model of the Llama family

Settings:
  CLAW_DATA_DIR   models, database, policy versions, tokens and log (default ~/.claw)
  CLAW_MODEL      the model in use (default smollm2-135m-instruct)
  CLAW_HTTP_HOST, CLAW_HTTP_PORT      where the page is served (default 127.0.0.1 and 30000)
  CLAW_HTTP_TOKEN what a browser has to show; needed where others can reach the page
  DATABASE_URL    a PostgreSQL database instead of the file in the data folder
  REDIS_URL       the Redis that wakes the parts of a bot on several machines
  CLAW_JUDGE      who judges what reactions and rules leave open: off (default), base, or a chat-completions
                  address, with CLAW_JUDGE_MODEL and CLAW_JUDGE_KEY
  CLAW_THREADS    processor threads of serving and of training, each (default 2)
  Flags win over the environment, and both over config.json in the data folder.

Tokens (\`claw init\` keeps them in tokens.json in the data folder; a variable wins over it):
  SLACK_BOT_TOKEN, SLACK_APP_TOKEN    one workspace, over Socket Mode; with SLACK_SIGNING_SECRET instead of the
                                      app token Slack calls the bot over HTTP
  SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, CLAW_ENCRYPTION_KEY
                                      workspaces install the app themselves
  DISCORD_TOKEN, TELEGRAM_BOT_TOKEN   the bot's; TELEGRAM_WEBHOOK_SECRET for a webhook

Exit codes:
  0  done    1  it failed, or the doctor found something broken    2  the command line or a setting is wrong
  An error is one line on stderr, "claw: CODE what is wrong", and one with what to do.
`

/** What a command loads is loaded when it runs: help and mistakes answer at once. */
function program(): Command {
  const { version } = createRequire(import.meta.url)('#package') as { version: string }
  const claw = new Command('claw')
    .description('A chat bot on your own machine whose language model learns from being used.')
    .usage('<command> [options]')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help, also behind a command')
    .helpCommand(false)
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  addStart(claw.command('start').description('run the bot: its page, and every platform that has tokens'))
  addChat(claw.command('chat').description('talk to it in this terminal; with the running bot, where there is one'))
  addSandbox(
    claw.command('sandbox').description('Slack, Discord and Telegram in play: to talk on them without a token'),
  )
  addInit(claw.command('init').description('Slack, Discord or Telegram: from nothing to a test message'))
  addDoctor(claw.command('doctor').description('what is set up wrong, and what to do about it'))
  addDemo(claw.command('demo').description('watch it learn a wish from a simulated person, without hands'))
  addModel(claw.command('model').description('list, pull and inspect models'))
  addHelp(claw.command('help [command...]').description('print help for a command'), claw)
  return claw
}

/** Commander's own help command knows the groups only, not what is in them. */
function addHelp(command: Command, claw: Command): void {
  command.action((names: readonly string[]) => {
    let at: Command = claw
    for (const name of names) {
      const next = at.commands.find((each) => each.name() === name)
      if (next === undefined) return at.error(`unknown command '${name}'`)
      at = next
    }
    at.help()
  })
}

function addStart(command: Command): void {
  command
    .option(
      '--port <n>',
      'where the page is served (default: CLAW_HTTP_PORT, else 30000; 0 takes any that is free)',
      wholeNumber,
    )
    .option(
      '--host <host>',
      'the address to listen on; one that others can reach needs CLAW_HTTP_TOKEN (default: 127.0.0.1)',
    )
    .addOption(
      new Option('--only <part>', 'one part of a bot that is several processes or machines').choices([
        'serve',
        'judge',
        'train',
      ]),
    )
    .addOption(modelOption())
    .addOption(dataOption())
    .addOption(memoryOption())
    .action(async (options: StartOptions) => {
      const { start } = await import('./cli/start.ts')
      await start(options)
    })
}

function addChat(command: Command): void {
  command
    .option('--person <name>', 'who is talking (default: your user name)')
    .option('--workspace <name>', 'whose lessons these are; nothing crosses a workspace (default: home)')
    .option('--conversation <name>', 'go on with this conversation (default: a fresh one)')
    .addOption(modelOption())
    .addOption(dataOption())
    .addOption(memoryOption())
    .action(async (options: ChatOptions) => {
      const { chat } = await import('./cli/chat.ts')
      await chat(options)
    })
}

function addSandbox(command: Command): void {
  command.addOption(dataOption()).action(async (options: Settings) => {
    const { sandbox } = await import('./cli/sandbox/sandbox.ts')
    await sandbox(options)
  })
}

function addInit(command: Command): void {
  command
    .addOption(new Option('--platform <name>', 'which one').choices(PLATFORMS))
    .option('--mode <mode>', 'slack: socket, http, many; telegram: polling, webhook (default: the first)')
    .option('--url <address>', 'the public address that leads to the bot, where the mode wants one')
    .option('--stdin', 'read tokens as NAME=value lines, by the names of their environment variables')
    .option('--test <where>', 'send a test message to this channel or chat')
    .option('--json', 'ask nothing, and print what was found as JSON')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nWithout a terminal it asks nothing: tokens come from the environment or --stdin, never from flags.\n',
    )
    .action(async (options: InitOptions) => {
      const { init } = await import('./cli/init/init.ts')
      await init(options)
    })
}

function addDoctor(command: Command): void {
  command
    .addOption(modelOption())
    .addOption(dataOption())
    .option('--json', 'print [{name, state: ok | warning | broken, detail, remedy}]')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./cli/doctor/doctor.ts')
      await doctor(options)
    })
}

function addDemo(command: Command): void {
  command
    .option(
      '--wish <wish>',
      'short, warm, one-sentence, bullets, steps, german, emoji, name, or a FILE.mjs with your own',
      'short',
    )
    .option('--seed <n>', 'the same seed, the same person', wholeNumber, 1)
    .option('--replies <n>', 'how long the person stays', wholeNumber, 36)
    .option('--people <n>', 'so many people at once, each with a workspace and a wish of their own', wholeNumber, 1)
    .option('--joint', 'all of them in one workspace, with one wish')
    .addOption(
      new Option('--scope <scope>', 'whose weights lessons change: the workspace’s, or each person’s own, and wish')
        .choices(['workspace', 'person'])
        .default('workspace'),
    )
    .option('--watch', 'say where its page is, to look on in a browser')
    .option('--port <n>', 'where the page is served (default: any port that is free)', wholeNumber)
    .addOption(modelOption())
    .addOption(dataOption())
    .addOption(memoryOption())
    .option('--json', 'print only the figures, as JSON')
    .action(async (options: DemoOptions) => {
      const { demo } = await import('./cli/demo/demo.ts')
      await demo(options)
    })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

function addModel(model: Command): void {
  type Options = Settings & { readonly json?: boolean }
  const add = (usage: string, description: string) =>
    model.command(usage).description(description).addOption(dataOption()).option('--json', 'print JSON')

  add('list', 'the catalogue, and what of it is here').action(async (options: Options) => {
    const { list } = await import('./cli/model.ts')
    list(configure(options), options)
  })
  add('pull [name]', 'fetch a model of the catalogue (default: the one in use); goes on where it stopped').action(
    async (name: string | undefined, options: Options) => {
      const { pull } = await import('./cli/model.ts')
      const config = configure(options)
      await pull(config, name ?? config.model, options)
    },
  )
  add('info [model]', 'the figures of a model that is here: a name, folder or .gguf file').action(
    async (name: string | undefined, options: Options) => {
      const { info } = await import('./cli/model.ts')
      const config = configure(options)
      await info(config, name ?? config.model, options)
    },
  )
}

/** Where the log of a fault belongs, once a command has said so. */
let settings: Settings = {}

/** Runs one command line and returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const claw = program()
  claw.hook('preAction', (_claw, command) => {
    settings = command.opts()
  })
  try {
    if (args.length === 0) claw.outputHelp()
    else await claw.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exit, text } = outcome(error, settings)
    process.stderr.write(text)
    return exit
  }
}

// What nobody awaited, Node would print whole, with the tokens that an address in it may hold.
process.on('uncaughtException', (error) => {
  process.stderr.write(outcome(error, settings).text)
  process.exit(1)
})

process.exitCode = await main(process.argv.slice(2))
