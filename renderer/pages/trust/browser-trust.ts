/** What a page can know of whether its browser trusts the server. */
export type BrowserTrust = 'trusted' | 'untrusted' | 'encrypted' | 'unknown' | 'off'

const limitMs = 6_000
const mostTried = 4

/** Answered for any page, with nothing: only whether the connection comes about matters. */
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
 * From a page without encryption, calls the encrypted addresses: a browser that trusts none of them refuses. That another
 * device cannot reach them looks the same, so only on the server's own computer a refusal says something. From an
 * encrypted page there is nothing to be seen: a warning that somebody went past leaves no trace.
 */
export async function browserTrust(addresses: readonly string[], source: 'authority' | 'own'): Promise<BrowserTrust> {
  if (location.protocol === 'https:') {
    return 'encrypted'
  }
  if (addresses.length === 0) {
    return 'off'
  }
  const isOwnComputer = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  // Here the same certificate answers under a name that certainly leads to it: a refusal is about trust then.
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

/** The system whose steps are most likely needed, by what the browser says. */
export const likelySystem = (userAgent: string): TrustSystem =>
  guesses.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'linux'
