/** What an entry looks at before it loads anything else. It must itself be read by any Node: no new syntax, no imports. */

/** The oldest Node of each program. */
export const oldestNode = { server: '24.2', agent: '20.19' }

/** Says in a sentence why a program does not run on this Node and what to do; undefined when it does. */
export function nodeProblem(program: string, oldest: string, running: string): string | undefined {
  const [neededMajor, neededMinor] = oldest.split('.').map(Number)
  const [major, minor] = running.split('.').map(Number)
  const isEnough =
    Number(major) === neededMajor ? Number(minor) >= Number(neededMinor) : Number(major) > Number(neededMajor)
  return isEnough
    ? undefined
    : `${program} needs Node ${oldest} or newer and this is Node ${running}: install a newer one from https://nodejs.org or, ` +
        `on Linux x64, use node_modules/.bin/node, which "npm ci" puts there.`
}
