import type { webApi } from '@slack/bolt'
import { ClawError } from '../../core/errors.ts'
import type { Outlet } from '../../core/stream/outlet.ts'
import { limited } from '../limited.ts'
import { call, Refused, refusedFor, translated } from './api.ts'
import type { Tenants } from './tenants.ts'

/** How long Slack may take to take a file in, in milliseconds. */
const UPLOAD_TIMEOUT = 60_000

const mayNot = () =>
  new ClawError('PLATFORM_REFUSED', 'I may not send files here', {
    remedy: 'Whoever runs me has to give me the scope files:write and install me again.',
  })

/** Hands files to one person, in the direct conversation with them. Until the last call nobody can see them. */
export function slackFiles(
  client: webApi.WebClient,
  tenants: Tenants,
  closing: AbortSignal,
): NonNullable<Outlet['sendFile']> {
  const patiently = <Result>(work: () => Promise<Result>) => limited(work, undefined, closing)
  return async ({ workspace }, person, { name, text }) => {
    const { token } = await patiently(() => tenants.find(workspace))
    const ask = <Result>(method: string, work: () => Promise<Result>) => patiently(() => call(method, work))
    const content = Buffer.from(text)
    try {
      const opened = await ask('conversations.open', () => client.conversations.open({ token, users: person }))
      const wanted = { token, filename: name, length: content.length }
      const { upload_url: url = '', file_id: id = '' } = await ask('files.getUploadURLExternal', () =>
        client.files.getUploadURLExternal(wanted),
      )
      await patiently(() => upload(url, content))
      const done = { token, files: [{ id, title: name }] as [{ id: string; title: string }] }
      await ask('files.completeUploadExternal', () =>
        client.files.completeUploadExternal({ ...done, channel_id: opened.channel?.id ?? '' }),
      )
    } catch (error) {
      throw refusedFor(error, ['missing_scope']) ? mayNot() : error
    }
  }
}

async function upload(url: string, content: Buffer): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(content),
    signal: AbortSignal.timeout(UPLOAD_TIMEOUT),
  }).catch((error: unknown) => {
    throw translated('the upload of a file', error)
  })
  await response.body?.cancel()
  if (!response.ok) throw new Refused('the upload of a file', `status_${response.status}`)
}
