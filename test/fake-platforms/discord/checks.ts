import { z } from 'zod'
import { type Json, type Refusal, refuse } from './shapes.ts'

/** What each body may hold. A field that is not named here is one that Discord does not have. */

const snowflake = z.string().regex(/^\d{17,20}$/, 'is not a snowflake')

const text = (max: number) =>
  z.string().refine((value) => [...value].length <= max, `Must be ${max} or fewer in length.`)

const button = z
  .strictObject({
    type: z.literal(2),
    style: z.int().min(1).max(5),
    label: text(80).optional(),
    emoji: z.strictObject({ name: z.string().min(1), id: snowflake.nullable().optional() }).optional(),
    custom_id: z.string().min(1).max(100).optional(),
    url: z.string().max(512).optional(),
    disabled: z.boolean().optional(),
  })
  .refine(({ style, custom_id, url }) => (style === 5 ? url : custom_id) !== undefined, 'needs a custom_id or a url')
  .refine(({ label, emoji }) => label !== undefined || emoji !== undefined, 'needs a label or an emoji')

const components = z
  .array(z.strictObject({ type: z.literal(1), components: z.array(button).min(1).max(5) }))
  .max(5)
  .refine((rows) => {
    const ids = rows.flatMap((row) => row.components.map(({ custom_id }) => custom_id))
    return new Set(ids).size === ids.length
  }, 'Component custom id cannot be duplicated')

/** Nothing that a model writes may ping: a body that would let it is refused here, though Discord would take it. */
const mentions = z.strictObject({
  parse: z.array(z.enum(['roles', 'users', 'everyone'])).max(0, 'would let the text ping people'),
  users: z.array(snowflake).max(100).optional(),
  roles: z.array(snowflake).max(0).optional(),
  replied_user: z.boolean().optional(),
})

const shown = {
  content: text(2_000).nullish(),
  embeds: z.array(z.looseObject({})).max(10).optional(),
  allowed_mentions: mentions,
  components: components.optional(),
  attachments: z
    .array(
      z.strictObject({ id: z.union([z.string(), z.int()]), filename: z.string(), description: z.string().optional() }),
    )
    .max(10)
    .optional(),
}

export const BODIES = {
  create: z.strictObject({
    ...shown,
    nonce: z.union([z.string().max(25, 'Must be 25 or fewer in length.'), z.int()]).optional(),
    enforce_nonce: z.boolean().optional(),
    tts: z.boolean().optional(),
    message_reference: z
      .strictObject({
        type: z.literal(0).optional(),
        message_id: snowflake,
        channel_id: snowflake.optional(),
        guild_id: snowflake.optional(),
        fail_if_not_exists: z.boolean().optional(),
      })
      .optional(),
    flags: z.int().optional(),
  }),
  edit: z.strictObject({ ...shown, flags: z.int().optional() }),
  followup: z.strictObject({ ...shown, tts: z.boolean().optional(), flags: z.int().optional() }),
  direct: z.strictObject({ recipient_id: snowflake }),
  thread: z.strictObject({
    name: z.string().min(1).max(100),
    auto_archive_duration: z.literal([60, 1_440, 4_320, 10_080]).optional(),
    type: z.int().optional(),
  }),
  modal: z.strictObject({
    custom_id: z.string().min(1).max(100),
    title: z.string().min(1).max(45),
    components: z
      .array(
        z.strictObject({
          type: z.literal(18),
          label: z.string().min(1).max(45),
          description: z.string().max(100).optional(),
          component: z.strictObject({
            type: z.literal(4),
            custom_id: z.string().min(1).max(100),
            style: z.literal([1, 2]),
            min_length: z.int().min(0).max(4_000).optional(),
            max_length: z.int().min(1).max(4_000).optional(),
            required: z.boolean().optional(),
            value: z.string().max(4_000).optional(),
            placeholder: z.string().max(100).optional(),
          }),
        }),
      )
      .min(1)
      .max(5),
  }),
  callback: z.strictObject({ type: z.literal([4, 5, 6, 7, 9]), data: z.looseObject({}).optional() }),
}

const option: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.int().min(1).max(11),
    name: z.string().regex(/^[-_\p{Ll}\p{N}]{1,32}$/u),
    description: z.string().min(1).max(100),
    required: z.boolean().optional(),
    min_value: z.number().optional(),
    max_value: z.number().optional(),
    choices: z
      .array(z.strictObject({ name: z.string().min(1).max(100), value: z.union([z.string().max(100), z.number()]) }))
      .max(25)
      .optional(),
    options: z.array(option).max(25).optional(),
  }),
)

export const COMMANDS = z.array(
  z.strictObject({
    name: z.string().regex(/^[-_\p{Ll}\p{N}]{1,32}$/u),
    description: z.string().min(1).max(100),
    type: z.literal(1).optional(),
    options: z.array(option).max(25).optional(),
    contexts: z.array(z.literal([0, 1, 2])).optional(),
    integration_types: z.array(z.literal([0, 1])).optional(),
    default_member_permissions: z.string().nullable().optional(),
  }),
)

/** Reads a body, or says what is wrong with it as Discord does. */
export function read<T>(schema: z.ZodType<T>, body: unknown): { readonly body: T } | { readonly refusal: Refusal } {
  const parsed = schema.safeParse(body)
  if (parsed.success) return { body: parsed.data }
  const errors: Record<string, Json> = {}
  for (const { path, message } of parsed.error.issues) {
    errors[path.join('.') || '_'] = { _errors: [{ code: 'BASE_TYPE_BAD', message }] }
  }
  return { refusal: refuse(400, 50035, 'Invalid Form Body', errors) }
}
