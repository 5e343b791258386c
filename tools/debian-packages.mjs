/**
 * Debian packages that the tests use. Run as a program, it prints the missing packages: `sudo apt-get install $(node
 * tools/debian-packages.mjs)`; with `--install`, it installs them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inPath } from './chromium.mjs'
import { run } from './processes.mjs'

const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'

/** Packages of a database server, and of what joins several servers. */
export const scalePackages = {
  postgresql: ['/usr/lib/postgresql'],
  'redis-server': ['redis-server'],
  'redis-tools': ['redis-cli'],
  haproxy: ['haproxy'],
}

/**
 * Packages with the programs that the tests of `npm run test:fast` start from them; a file where a package has no program.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const fastPackages = {
  xvfb: ['Xvfb'],
  xterm: ['xterm'],
  openbox: ['openbox'],
  xclip: ['xclip'],
  'x11-utils': ['xprop', 'xwininfo'],
  'x11-xkb-utils': ['setxkbmap'],
  'x11-xserver-utils': ['xrandr'],
  'tigervnc-standalone-server': ['Xtigervnc'],
  dbus: ['dbus-run-session'],
  procps: ['top'],
  curl: ['curl'],
  wget: ['wget'],
  openssl: ['openssl'],
  python3: ['python3'],
  mount: ['mount', 'umount'],
  'util-linux': ['nsenter', 'unshare'],
  bash: ['bash'],
  coreutils: ['chown', 'cp', 'df', 'id', 'mkfifo', 'rm', 'sleep', 'truncate'],
  tar: ['tar'],
  dash: ['sh'],
  // Encoder of video and its colors, called by the agent.
  libvpx7: ['/usr/lib/x86_64-linux-gnu/libvpx.so.7'],
  libyuv0: ['/usr/lib/x86_64-linux-gnu/libyuv.so.0'],
  libopus0: ['/usr/lib/x86_64-linux-gnu/libopus.so.0'],
}

/**
 * Packages of all tests by day, with the programs that tests start.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const debianPackages = {
  ...fastPackages,
  // The headless shell runs the page in half of the CPU time; the full Chromium shows windows at the device.
  'chromium-headless-shell': ['chromium-headless-shell'],
  chromium: ['chromium'],
  'fonts-dejavu-core': [font],
  'gnome-keyring': ['gnome-keyring-daemon'],
  'vim-tiny': ['vi'],
  iproute2: ['ip', 'ss'],
  'libnss3-tools': ['certutil'],
  git: ['git'],
  dpkg: ['dpkg-deb'],
  nsis: ['makensis'],
  ...scalePackages,
}

/** Additional packages of `npm run test:scale`, and at night: balancers beside HAProxy. */
export const balancerPackages = { nginx: ['nginx'], caddy: ['caddy'] }

/** Additional packages of `npm run test:wine`. */
export const winePackages = {
  wine64: ['/usr/lib/wine/wine64'],
  // A display with several monitors.
  'xserver-xorg-core': ['Xorg'],
  'xserver-xorg-video-dummy': ['/usr/lib/xorg/modules/drivers/dummy_drv.so'],
}

/** Additional packages of `npm run test:windows`: for the MSI package, and for a program that an installer of a test holds. */
export const windowsPackages = {
  wixl: ['wixl'],
  msitools: ['msibuild', 'msiinfo'],
  'gcc-mingw-w64-x86-64-posix': ['x86_64-w64-mingw32-gcc-posix'],
}

/** Additional packages of `npm run test:wayland`. */
export const waylandPackages = {
  'gnome-shell': ['gnome-shell'],
  gjs: ['gjs'],
  sway: ['sway', 'swaymsg'],
  weston: ['weston'],
  mutter: ['mutter'],
  'xdg-desktop-portal': ['/usr/libexec/xdg-desktop-portal'],
  'libglib2.0-bin': ['gdbus'],
  foot: ['foot'],
  'wl-clipboard': ['wl-copy', 'wl-paste'],
  pipewire: ['pipewire'],
  'pipewire-bin': ['pw-metadata', 'pw-play'],
  'pipewire-pulse': ['pipewire-pulse'],
  libpulse0: ['/usr/lib/x86_64-linux-gnu/libpulse.so.0'],
  wireplumber: ['wireplumber'],
  'util-linux': ['setpriv'],
  dbus: ['dbus-run-session'],
}

/** Additional packages of `npm run test:night`. */
export const nightPackages = { faketime: ['faketime'], ...balancerPackages }

/** Adds the folder of HAProxy and nginx, which ordinary users of Debian have not in their PATH; tests inherit it. */
function useSystemPrograms() {
  const folders = process.env['PATH']?.split(path.delimiter) ?? []
  process.env['PATH'] = [...new Set([...folders, '/usr/sbin'])].join(path.delimiter)
}

/** Chrome substitutes both Chromium packages. */
const chrome = inPath('google-chrome')

/** @param {string} program Name, or path of a file. */
const isThere = (program) =>
  (program.includes('chromium') && chrome !== undefined) ||
  (path.isAbsolute(program) ? existsSync(program) : inPath(program) !== undefined)

/** @param {Readonly<Record<string, readonly string[]>>} wanted */
const missingOf = (wanted) =>
  Object.entries(wanted)
    .filter(([, programs]) => !programs.every(isThere))
    .map(([debianPackage]) => debianPackage)

/**
 * Installs missing packages where possible; resolves with a sentence when some stay missing.
 * @param {Readonly<Record<string, readonly string[]>>} [wanted]
 */
export async function ensureDebianPackages(wanted = debianPackages) {
  if (process.platform !== 'linux') {
    return undefined
  }
  useSystemPrograms()
  const missing = missingOf(wanted)
  if (missing.length === 0) {
    return undefined
  }
  const command = `apt-get install --yes --no-install-recommends ${missing.join(' ')}`
  const hasApt = spawnSync('apt-get', ['--version']).status === 0
  if (!hasApt) {
    return `The tests need programs of these Debian packages: ${missing.join(', ')}.`
  }
  if (process.getuid?.() !== 0) {
    return `The tests need Debian packages that are missing; run: sudo ${command}`
  }
  console.log(`Installing ${missing.join(', ')}`)
  // Tests start databases of their own: the package makes none, and starts none.
  mkdirSync('/etc/postgresql-common/createcluster.d', { recursive: true })
  writeFileSync('/etc/postgresql-common/createcluster.d/farhand-tests.conf', 'create_main_cluster = false\n')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const quiet = ['-o', 'Dpkg::Use-Pty=0', '-qq']
  if ((await run('apt-get', [...quiet, 'update'], { env })) !== 0) {
    return 'apt-get update failed.'
  }
  await run('apt-get', [...quiet, ...command.split(' ').slice(1)], { env })
  const still = missingOf(wanted)
  return still.length > 0 ? `apt-get could not install ${still.join(', ')}.` : undefined
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === '--install') {
    const problem = await ensureDebianPackages()
    if (problem) {
      console.error(problem)
      process.exitCode = 1
    }
  } else {
    useSystemPrograms()
    // Ubuntu names some of them otherwise, and apt-get installs none of a list with an unknown name.
    const isOffered = (/** @type {string} */ name) => spawnSync('apt-cache', ['show', name]).status === 0
    console.log(missingOf(debianPackages).filter(isOffered).join(' '))
  }
}
