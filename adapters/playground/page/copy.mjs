// The build's last step: what the compiler does not carry lies beside the compiled page.
import { copyFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

for (const name of readdirSync(import.meta.dirname).filter((file) => /\.(?:html|css|svg)$/.test(file))) {
  const from = new URL(name, import.meta.url)
  copyFileSync(from, fileURLToPath(new URL(`../../../dist/adapters/playground/page/${name}`, import.meta.url)))
}
