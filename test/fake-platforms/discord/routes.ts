import { BODIES, COMMANDS, read } from './checks.ts'
import { type Effects, memberJson } from './effects.ts'
import type { Interactions } from './interactions.ts'
import { messageRoutes } from './messages.ts'
import { guildPermissions, PERMISSION, writing } from './permissions.ts'
import { type Answer, type Call, channelFor, isRefusal, type Route } from './route.ts'
import { type Json, REFUSALS, refuse } from './shapes.ts'
import { attachmentsOf, directWith, openThread, type World } from './world.ts'

/** Registered commands by scope: the empty string is everywhere, else a guild. */
export type Commands = Map<string, readonly Json[]>

export interface RouteOptions {
  readonly world: World
  readonly effects: Effects
  readonly interactions: Interactions
  readonly commands: Commands
  readonly gatewayUrl: () => string
  readonly shards: number
  /** Flags of the application, as the developer portal sets them. */
  readonly flags: () => number
  /** People who take no direct messages. */
  readonly closed: ReadonlySet<string>
}

export function routes(options: RouteOptions): readonly Route[] {
  const { world, effects, interactions, commands } = options

  function thread({ names: [id, from], body }: Call): Answer {
    const parent = channelFor(world, id, PERMISSION.createThreads)
    if (isRefusal(parent)) return parent
    const parsed = read(BODIES.thread, body)
    if ('refusal' in parsed) return parsed.refusal
    const opened = openThread(world, parent, parsed.body.name, world.bot.id, from)
    effects.threadOpened(opened)
    return { ...opened }
  }

  function register(scope: string, { names: [app], body }: Call): Answer {
    if (app !== world.applicationId)
      return refuse(403, 20_012, 'You are not authorized to perform this action on this application')
    const parsed = read(COMMANDS, body)
    if ('refusal' in parsed) return parsed.refusal
    const registered = parsed.body.map((command) => ({
      ...command,
      id: world.snowflake(),
      application_id: app,
      version: world.snowflake(),
    }))
    commands.set(scope, registered)
    return registered
  }

  function direct({ body }: Call): Answer {
    const parsed = read(BODIES.direct, body)
    if ('refusal' in parsed) return parsed.refusal
    const person = world.users.get(parsed.body.recipient_id)
    return person === undefined ? REFUSALS.user : { ...directWith(world, person) }
  }

  function guild(
    [id]: readonly string[],
    of: (guild: NonNullable<ReturnType<typeof world.guilds.get>>) => Answer,
  ): Answer {
    const found = world.guilds.get(id ?? '')
    if (found === undefined) return REFUSALS.guild
    return found.joined ? of(found) : REFUSALS.access
  }

  return [
    {
      method: 'GET',
      path: '/gateway/bot',
      run: () => ({
        url: options.gatewayUrl(),
        shards: options.shards,
        session_start_limit: { total: 1_000, remaining: 999, reset_after: 86_400_000, max_concurrency: 16 },
      }),
    },
    { method: 'GET', path: '/users/@me', run: () => ({ ...world.bot }) },
    {
      method: 'GET',
      path: '/applications/@me',
      run: () => ({ id: world.applicationId, name: 'claw', flags: options.flags(), bot_public: true, bot: world.bot }),
    },
    { method: 'POST', path: '/users/@me/channels', run: direct },
    {
      method: 'GET',
      path: '/users/@me/guilds',
      run: () =>
        [...world.guilds.values()]
          .filter(({ joined }) => joined)
          .map((one) => ({ id: one.id, name: one.name, permissions: String(guildPermissions(one, world.bot.id)) })),
    },
    {
      method: 'GET',
      path: '/channels/:',
      run({ names: [id] }) {
        const channel = channelFor(world, id, 0n)
        return isRefusal(channel) ? channel : { ...channel }
      },
    },
    ...messageRoutes(world, effects, options.closed),
    { method: 'POST', path: '/channels/:/messages/:/threads', run: thread },
    {
      method: 'POST',
      path: '/channels/:/threads',
      run: ({ names: [id], ...call }) => thread({ ...call, names: [id ?? ''] }),
    },
    {
      method: 'POST',
      path: '/channels/:/typing',
      run({ names: [id] }) {
        const channel = world.channels.get(id ?? '')
        const allowed = channelFor(world, id, channel === undefined ? 0n : writing(channel))
        return isRefusal(allowed) ? allowed : null
      },
    },
    {
      method: 'POST',
      path: '/interactions/:/:/callback',
      run: ({ names: [id, token], body }) => interactions.callback(id ?? '', token ?? '', body),
    },
    {
      method: 'PATCH',
      path: '/webhooks/:/:/messages/@original',
      run: ({ names: [, token], body, files }) =>
        interactions.editOriginal(token ?? '', body, attachmentsOf(world, files)),
    },
    {
      method: 'DELETE',
      path: '/webhooks/:/:/messages/@original',
      run: ({ names: [, token] }) => interactions.deleteOriginal(token ?? ''),
    },
    {
      method: 'POST',
      path: '/webhooks/:/:',
      run: ({ names: [, token], body, files }) => interactions.followup(token ?? '', body, attachmentsOf(world, files)),
    },
    { method: 'GET', path: '/applications/:/commands', run: () => commands.get('') ?? [] },
    { method: 'PUT', path: '/applications/:/commands', run: (call) => register('', call) },
    { method: 'PUT', path: '/applications/:/guilds/:/commands', run: (call) => register(call.names[1] ?? '', call) },
    {
      method: 'GET',
      path: '/guilds/:',
      run: ({ names }) => guild(names, ({ id, name, owner_id, roles }) => ({ id, name, owner_id, roles })),
    },
    { method: 'GET', path: '/guilds/:/roles', run: ({ names }) => guild(names, ({ roles }) => roles) },
    {
      method: 'GET',
      path: '/guilds/:/members/:',
      run: ({ names }) =>
        guild(names, ({ members }) => {
          const [roles, user] = [members.get(names[1] ?? ''), world.users.get(names[1] ?? '')]
          return roles === undefined || user === undefined ? REFUSALS.member : { ...memberJson(roles), user }
        }),
    },
  ]
}
