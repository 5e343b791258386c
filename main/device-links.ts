import { guidPattern } from '../shared/guid.ts'

/** Scheme of links that open a device in the window: `farhand://device/<id>`. */
export const scheme = 'farhand'

/**
 * Page of a link; undefined for all others. Links come from other programs and pages: a link names a device and
 * nothing else, so it can only open a page that asks for a sign-in like any other.
 */
export function pageOfLink(link: string): string | undefined {
  const url = URL.parse(link)
  const id = url?.pathname.slice(1) ?? ''
  return url?.protocol === `${scheme}:` && url.host === 'device' && guidPattern.test(id) ? `/devices/${id}` : undefined
}

/** Page of the link among the arguments of a start, where Windows and Linux put it. */
export const pageInArguments = (argv: readonly string[]): string | undefined =>
  argv.map(pageOfLink).find((page) => page !== undefined)

/**
 * Arguments of a start that may hold commands: none beside a link, because a program that passes on a quote in a link
 * splits it into several arguments, and no page may run a command (T25).
 */
export const commandArguments = (argv: readonly string[]): readonly string[] =>
  argv.some((word) => word.toLowerCase().startsWith(`${scheme}:`)) ? [] : argv
