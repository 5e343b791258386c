import * as t from '../texts.ts'

/** Most specific first: Edge calls itself Chrome too, and Chrome Safari. */
const programs = [
  ['Electron/', t.productName],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const

const systems = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const longestName = 60

const nameIn = (names: readonly (readonly [string, string])[], userAgent: string) =>
  names.find(([mark]) => userAgent.includes(mark))?.[1]

/** Program and system of a `User-Agent`, such as "Firefox on Linux"; an unknown program by its own words. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) {
    return t.account.unknownProgram
  }
  const program = nameIn(programs, userAgent)
  const system = nameIn(systems, userAgent)
  return program === undefined
    ? userAgent.slice(0, longestName)
    : system === undefined
      ? program
      : t.account.programOn(program, system)
}
