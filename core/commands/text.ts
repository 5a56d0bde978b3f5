export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** What a version was made from. */
export function origin(lessons: number): string {
  return lessons === 0 ? 'rehearsed' : `learned from ${count(lessons, 'reply', 'replies')}`
}

/** The time of day today, the date before that. By the machine's clock. */
export function time(at: number, now: number): string {
  const then = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`
  const clock = `${two(then.getHours())}:${two(then.getMinutes())}`
  return new Date(now).toDateString() === then.toDateString() ? clock : `${day} ${clock}`
}

/** The beginning of a text in one line. */
export function excerpt(text: string, length = 60): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`
}

/** `a, b and c` */
export function list(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
