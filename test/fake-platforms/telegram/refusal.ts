/** What the Bot API answers when it does not do what it was asked to. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: Readonly<Record<string, number>> | undefined
  /** No honest program comes here: the test that made it fails. */
  readonly violation: boolean

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>, violation = false) {
    super(description)
    this.code = code
    this.parameters = parameters
    this.violation = violation
  }
}

export const violation = (description: string): Refusal =>
  new Refusal(400, `Bad Request: ${description}`, undefined, true)

export const badRequest = (description: string): Refusal => new Refusal(400, `Bad Request: ${description}`)
