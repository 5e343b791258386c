/** A problem of the configuration. */
export interface Problem {
  key: string
  /** Description of the value's source. */
  source: string
  message: string
}

/** The configuration is invalid. The message lists every problem and no secret. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    const lines = problems.map(({ key, source, message }) => `  ${key} ${message} (${source})`)
    super([`The configuration has ${count}:`, ...lines].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}
