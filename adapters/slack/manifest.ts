/** How Slack reaches the bot: over connections that the bot opens, or by calling it at an address of its own. */
export type SlackMode = 'socket' | 'http'

/** What the bot may do in a workspace. */
export const SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:write',
  'mpim:history',
  'reactions:read',
  'reactions:write',
  'users:read',
] as const

/** What Slack tells the bot. */
export const EVENTS = [
  'agent_session_stopped',
  'app_mention',
  'app_uninstalled',
  'channel_id_changed',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'reaction_added',
  'reaction_removed',
  'team_access_revoked',
  'tokens_revoked',
] as const

const DESCRIPTION = 'A chat bot that learns from being used.'

/**
 * The app as Slack is told of it. `url` is the bot's public address, `https://claw.example.com`, and only mode `http`
 * needs it.
 */
export function slackManifest(mode: SlackMode, url = 'https://claw.example.com') {
  const at = (path: string) => new URL(path, url).href
  const called = mode === 'http' ? { url: at('/slack/events') } : {}
  const request = mode === 'http' ? { request_url: at('/slack/events') } : {}
  return {
    display_information: { name: 'Claw', description: DESCRIPTION },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      agent_view: { agent_description: DESCRIPTION },
      bot_user: { display_name: 'claw', always_online: true },
      slash_commands: [
        {
          command: '/claw',
          description: 'What the bot has learned, and what it may',
          usage_hint: 'status | why | memory | help',
          should_escape: true,
          ...called,
        },
      ],
    },
    oauth_config: {
      scopes: { bot: [...SCOPES] },
      ...(mode === 'http' ? { redirect_urls: [at('/slack/oauth_redirect')] } : {}),
    },
    settings: {
      event_subscriptions: { bot_events: [...EVENTS], ...request },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: mode === 'http',
      socket_mode_enabled: mode === 'socket',
      token_rotation_enabled: false,
    },
  }
}

/** The page on which Slack makes the app of its manifest. */
export function slackCreationUrl(mode: SlackMode, url?: string): string {
  const manifest = encodeURIComponent(JSON.stringify(slackManifest(mode, url)))
  return `https://api.slack.com/apps?new_app=1&manifest_json=${manifest}`
}
