import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A browser of this machine, else null: tests in the browser skip without it. */
export const browserPath: string | null = find()

function find(): string | null {
  const path = CANDIDATES.find((candidate) => existsSync(candidate)) ?? null
  if (path === null) console.warn('Skipping tests in the browser: there is none here (apt-get install chromium)')
  return path
}

export function launch(): Promise<Browser> {
  // The tests talk to nobody but their own server; root, as in a container, cannot have the sandbox.
  return chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox', '--disable-gpu'] })
}

export interface Visit {
  readonly page: Page
  /** Errors of the page, of its console and its security policy, and requests to anyone else. Must stay empty. */
  readonly complaints: string[]
  close(): Promise<void>
}

/** Opens a page of `origin` in a fresh profile, and writes down everything that it must not do. */
export async function visit(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.setDefaultTimeout(8_000)
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`request: ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, complaints, close: () => context.close() }
}
