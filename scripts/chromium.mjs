/**
 * Which browser the tests drive: the system's Chromium, or the Chrome of a machine that has none. Nothing is downloaded.
 * Chromium without windows comes first: each new profile costs it half of the processor time.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'

/** @param {string} program A name that is looked for in PATH. */
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
    // The last five keep it from talking to anybody but us.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  }
}
