/** What the tests use of the system, as Debian packages. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { inPath } from './chromium.mjs'
import { run } from './processes.mjs'

/** @type {readonly (readonly [string, () => unknown])[]} Package, and what shows that it or its like is there. */
const needed = [
  ['chromium-headless-shell', () => inPath('chromium-headless-shell') ?? inPath('google-chrome')],
  ['fonts-dejavu-core', () => existsSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf')],
  ['xvfb', () => inPath('Xvfb')],
  ['xterm', () => inPath('xterm')],
  ['openbox', () => inPath('openbox')],
  ['xclip', () => inPath('xclip')],
  ['tigervnc-standalone-server', () => inPath('Xtigervnc')],
  ['gnome-keyring', () => inPath('gnome-keyring-daemon')],
  ['dbus', () => inPath('dbus-run-session')],
  ['procps', () => inPath('top')],
  ['vim-tiny', () => inPath('vi')],
  ['curl', () => inPath('curl')],
  ['iproute2', () => inPath('ip')],
  ['libnss3-tools', () => inPath('certutil')],
  ['wget', () => inPath('wget')],
  ['python3', () => inPath('python3')],
]

const missing = () => needed.filter(([, find]) => !find()).map(([debianPackage]) => debianPackage)

/** Installs what is missing where that is possible; resolves with a sentence when something stays missing. */
export async function ensureDebianPackages() {
  if (process.platform !== 'linux') {
    return undefined
  }
  const wanted = missing()
  if (wanted.length === 0) {
    return undefined
  }
  const command = `apt-get install --yes --no-install-recommends ${wanted.join(' ')}`
  const hasApt = spawnSync('apt-get', ['--version']).status === 0
  if (!hasApt) {
    return `The tests need programs of these Debian packages: ${wanted.join(', ')}.`
  }
  if (process.getuid?.() !== 0) {
    return `The tests need Debian packages that are missing; run: sudo ${command}`
  }
  console.log(`Installing ${wanted.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const quiet = ['-o', 'Dpkg::Use-Pty=0', '-qq']
  if ((await run('apt-get', [...quiet, 'update'], { env })) !== 0) {
    return 'apt-get update failed.'
  }
  await run('apt-get', [...quiet, ...command.split(' ').slice(1)], { env })
  const still = missing()
  return still.length > 0 ? `apt-get could not install ${still.join(', ')}.` : undefined
}
