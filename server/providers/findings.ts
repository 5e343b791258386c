/** Details that the library attaches to its errors, by the rule that an answer broke. */
interface Details {
  expected?: unknown
  /** Name of a claim of the token. */
  claim?: string
  claims?: Record<string, unknown>
  /** Name of a member of a JSON body. */
  attribute?: string
  body?: Record<string, unknown>
  header?: { alg?: unknown }
  alg?: unknown
  /** Seconds since 1970 by the clock of this server, and the tolerated difference. */
  now?: number
  tolerance?: number
  /** HTTP status of a response. */
  status?: number
}

/** Bound of a text of the provider in a message. */
const mostCharacters = 200
const shown = (value: unknown) => [...(JSON.stringify(value) ?? 'nothing')].slice(0, mostCharacters).join('')

const clocks = 'Set the clocks of both computers.'

function timeFinding(claim: string, claims: Record<string, unknown>, now: number, tolerance = 0): string {
  const seconds = Math.abs(Number(claims[claim]) - now)
  return claim === 'exp'
    ? `Its token expired ${seconds} s ago by the clock of this server; at most ${tolerance} s are expected. ${clocks}`
    : `Its token is valid in ${seconds} s by the clock of this server; at most ${tolerance} s are expected. ${clocks}`
}

function findingIn(details: Details): string | undefined {
  const { expected, claim, claims, attribute, body, now, tolerance, status } = details
  const algorithm = details.alg ?? details.header?.alg
  if (claim !== undefined && claims && now !== undefined) {
    return timeFinding(claim, claims, now, tolerance)
  }
  if (claim !== undefined && claim !== 'nonce' && claims) {
    return `Expected ${claim} ${shown(expected)} in its token, seen ${shown(claims[claim])}.`
  }
  if (attribute !== undefined && body) {
    return `Expected ${attribute} ${shown(expected)}, seen ${shown(body[attribute])}.`
  }
  if (algorithm !== undefined) {
    return `Expected a token signed with ${expected === undefined ? 'RS256, PS256, ES256, EdDSA or a stronger one' : shown(expected)}, seen ${shown(algorithm)}.`
  }
  return status === undefined ? undefined : `Expected HTTP status 200, seen ${status}.`
}

/** Returns what this server expected of a provider's answer and what it saw, from the error of the library. */
export function findingOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) {
    return error instanceof Object ? findingIn(error) : undefined
  }
  // The innermost error is the most exact one.
  const inner = error.cause === undefined ? undefined : findingOf(error.cause)
  const isOuter = error.cause instanceof Error
  return inner ?? (isOuter || !('code' in error) ? undefined : `${error.message}.`)
}
