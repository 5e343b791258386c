/** Checks whether a build result is older than its inputs. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Milliseconds of the newest change at or below a path; 0 for a missing path. A folder's own time counts, so that a
 * deleted file is a change too.
 * @param {string} start
 * @returns {number}
 */
export function newestChange(start) {
  const found = statSync(start, { throwIfNoEntry: false })
  if (!found?.isDirectory()) {
    return found?.mtimeMs ?? 0
  }
  return readdirSync(start).reduce(
    (newest, name) => Math.max(newest, newestChange(path.join(start, name))),
    found.mtimeMs,
  )
}

/**
 * @param {string} result File written by the build.
 * @param {readonly string[]} inputs Files and folders.
 */
export function isStale(result, inputs) {
  const built = newestChange(result)
  return built === 0 || inputs.some((input) => newestChange(input) > built)
}
