/**
 * Selects the browser for tests: the system's Chromium, else Chrome. Never downloads. Prefers the headless shell, which
 * needs half of the CPU time per new profile.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'

/** @param {string} program Name to look up in PATH. */
export const inPath = (program) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file))

export const findChromium = () => inPath('chromium-headless-shell') ?? inPath('chromium') ?? inPath('google-chrome')

export const chromiumLaunch = () => {
  const executablePath = process.platform === 'linux' ? findChromium() : undefined
  return {
    ...(executablePath ? { executablePath } : { channel: 'chrome' }),
    // The last five arguments prevent connections to other servers.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // Larger spaces for new objects: a page that lives for seconds collects garbage less often.
      '--js-flags=--min-semi-space-size=16',
    ],
  }
}
