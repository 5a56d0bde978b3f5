// What a checker of accessibility would say. Runs in the page.
;(() => {
  const found = []
  const visible = (element) => element.getClientRects().length > 0 && !element.closest('.unseen, [hidden], .toast')
  for (const control of document.querySelectorAll('button, a[href], input, select, textarea')) {
    if (!visible(control)) continue
    const labels = control.labels
    const name = control.getAttribute('aria-label') ?? (labels?.length ? labels[0]?.textContent : control.textContent)
    if (!name?.trim()) found.push(`no name: ${control.outerHTML.slice(0, 80)}`)
    const { width, height } = control.getBoundingClientRect()
    if (width < 24 || height < 24) found.push(`too small: ${control.outerHTML.slice(0, 80)}`)
  }
  for (const image of document.querySelectorAll('img')) {
    if (!image.hasAttribute('alt')) found.push(`no alt: ${image.src}`)
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`twice: #${id}`)
  const levels = [...document.querySelectorAll('h1, h2, h3')].filter(visible).map(({ tagName }) => Number(tagName[1]))
  if (levels[0] !== 1) found.push('the first heading is no h1')
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (colour) => {
    const [r = 0, g = 0, b = 0] = colour.map((value) => {
      const share = value / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor)
      if (colour.length === 3 || (colour[3] ?? 0) > 0.99) return colour.slice(0, 3)
    }
    return [255, 255, 255]
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement
    if (element === null || !node.textContent?.trim() || !visible(element)) continue
    const [a, b] = [luminance(channels(getComputedStyle(element).color).slice(0, 3)), luminance(ground(element))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5)
      found.push(`contrast ${ratio.toFixed(1)}: ${node.textContent.trim().slice(0, 40)} (${element.className})`)
  }
  return found
})()
