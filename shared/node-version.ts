/** Checked by every entry before any other import. This file must run on any Node: no new syntax, no imports. */

/** Oldest supported Node of each program. */
export const oldestNode = { server: '24.9', agent: '20.19' }

/** Explains in a sentence why a program does not run on this Node, and what to do; undefined if it runs. */
export function nodeProblem(program: string, oldest: string, running: string): string | undefined {
  const [neededMajor, neededMinor] = oldest.split('.').map(Number)
  const [major, minor] = running.split('.').map(Number)
  const isEnough =
    Number(major) === neededMajor ? Number(minor) >= Number(neededMinor) : Number(major) > Number(neededMajor)
  return isEnough
    ? undefined
    : `${program} needs Node ${oldest} or newer and this is Node ${running}: install a newer one from https://nodejs.org ` +
        `or use node_modules/.bin/node, which "npm ci" puts there on most systems.`
}
