/** Result of the check whether this browser trusts the server. */
export type BrowserTrust = 'trusted' | 'untrusted' | 'encrypted' | 'unknown' | 'off'

const limitMs = 6_000
const mostTried = 4

/** Answers any page with an empty response: only a successful connection matters. */
const probePath = '/trust-probe'

type Answer = 'yes' | 'no' | 'silent'

async function answers(address: string, signal: AbortSignal): Promise<Answer> {
  try {
    await fetch(address + probePath, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
    return 'yes'
  } catch {
    return signal.aborted ? 'silent' : 'no'
  }
}

/**
 * Checks from an unencrypted page whether the browser accepts the encrypted addresses. An unreachable address fails in
 * the same way, so a failure is conclusive only on the server's own computer. An encrypted page cannot tell, since a
 * dismissed warning leaves no trace.
 */
export async function browserTrust(addresses: readonly string[], source: 'authority' | 'own'): Promise<BrowserTrust> {
  if (location.protocol === 'https:') {
    return 'encrypted'
  }
  if (addresses.length === 0) {
    return 'off'
  }
  const isOwnComputer = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  // On this computer `localhost` surely reaches the certificate, so a failure means missing trust.
  const isCertain = isOwnComputer && source === 'authority'
  const tried = isCertain
    ? [...new Set(addresses.map((address) => `https://localhost:${new URL(address).port || '443'}`))]
    : addresses.filter((address) => !address.includes('['))
  const found = await Promise.all(
    tried.slice(0, mostTried).map((address) => answers(address, AbortSignal.timeout(limitMs))),
  )
  if (found.includes('yes')) {
    return 'trusted'
  }
  return isCertain && found.includes('no') ? 'untrusted' : 'unknown'
}

const guesses = [
  ['firefox', /Firefox\//],
  ['ios', /iPhone|iPad/],
  ['android', /Android/],
  ['windows', /Windows/],
  ['macos', /Macintosh/],
] as const

export type TrustSystem = (typeof guesses)[number][0] | 'linux'
export const trustSystems: readonly TrustSystem[] = ['windows', 'macos', 'ios', 'android', 'linux', 'firefox']

/** Most likely system, by user agent. */
export const likelySystem = (userAgent: string): TrustSystem =>
  guesses.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'linux'
