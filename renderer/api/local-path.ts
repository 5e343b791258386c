const home = '/home'

/** Returns the `returnUrl` if it stays on this origin, otherwise the home page. */
export function localPath(text: string | null) {
  const base = 'http://here.invalid'
  if (!text?.startsWith('/') || !URL.canParse(text, base)) {
    return home
  }
  const { origin, pathname, search, hash } = new URL(text, base)
  // `//host` and `/\host` parse to another origin, and the browser would treat a pathname that starts with `//` the
  // same way.
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : home
}

/** Path of the sign-in page, which returns to `path`. */
export const signInPath = (path: string) =>
  path === '/' || path === home ? '/sign-in' : `/sign-in?returnUrl=${encodeURIComponent(path)}`
