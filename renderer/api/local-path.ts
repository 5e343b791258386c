const home = '/devices'

/** A `returnUrl` that stays on this origin, or the home page for anything else. */
export function localPath(text: string | null) {
  const base = 'http://here.invalid'
  if (!text?.startsWith('/') || !URL.canParse(text, base)) {
    return home
  }
  const { origin, pathname, search, hash } = new URL(text, base)
  // `//host` and `/\host` parse to another origin; a path that begins with two slashes would become one again.
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : home
}

/** The sign-in page that comes back to `path`. */
export const signInPath = (path: string) =>
  path === '/' || path === home ? '/sign-in' : `/sign-in?returnUrl=${encodeURIComponent(path)}`
