/** Finds Electron's program without importing the `electron` package, which would download it. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './processes.mjs'

/**
 * Path of the Electron executable, or undefined when it was never installed.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder The folder of the `electron` package.
 */
export function findElectron(env = process.env, folder = path.join(root, 'node_modules', 'electron')) {
  const pathFile = path.join(folder, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : undefined
  const override = env.ELECTRON_OVERRIDE_DIST_PATH
  const file = override
    ? path.join(override, name ?? 'electron')
    : name === undefined
      ? undefined
      : path.join(folder, 'dist', name)
  return file !== undefined && existsSync(file) ? file : undefined
}

/**
 * Reason why no window can be shown, as a phrase; undefined when a window can be shown.
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @param {string | undefined} electron Path of the executable.
 */
export function whyHeadless(env, platform, electron) {
  if (!electron) {
    return 'the Electron program is not installed (npx install-electron fetches it)'
  }
  const needsDisplay = platform !== 'win32' && platform !== 'darwin'
  if (needsDisplay && !env.DISPLAY && !env.WAYLAND_DISPLAY) {
    return 'there is no display'
  }
  return undefined
}
