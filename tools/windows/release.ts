/** Releases of the agent for Windows, as a server offers them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeZip } from '../agents/archives.ts'
import { writeMsi } from '../agents/msi.ts'
import { sha256Of } from '../release/sign.ts'
import { stage } from '../agents/bundle.ts'
import { installerText, ensureParts } from '../agents/downloads.ts'
import { sharedFolder } from './debian-13.ts'
import { releaseFolder } from './windows.ts'

const content = path.join(sharedFolder, 'content')
const main = path.join(content, 'main.js')

/**
 * Wine reports its only user as the owner of every file. The agent and its installer trust this user in the place of
 * TrustedInstaller, and are otherwise those of this checkout.
 */
const [trustedInstaller, userOfWine] = [
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
  'S-1-5-21-0-0-0-1000',
]
export const trustingWine = (text: string) => text.replaceAll(trustedInstaller, userOfWine)

/** Builds the agent of this checkout. Returns its Node. */
export async function buildAgent(): Promise<string> {
  const parts = await ensureParts('win-x64', { begin: console.log, made: console.log })
  rmSync(content, { recursive: true, force: true })
  mkdirSync(content, { recursive: true })
  await stage('win-x64', parts, content)
  for (const name of readdirSync(content).filter((each) => each.endsWith('.js'))) {
    const file = path.join(content, name)
    writeFileSync(file, trustingWine(readFileSync(file, 'utf8')))
  }
  cpSync(main, `${main}.whole`)
  return parts.node
}

/** Offers the MSI package of the release that is offered; `version` has three numbers. */
export async function offerPackage(version: string): Promise<void> {
  const folder = path.join(releaseFolder, 'win-x64')
  const digest = path.join(content, 'bundle.sha256')
  writeFileSync(digest, `${sha256Of(path.join(folder, 'Farhand.Agent.bundle.zip')).toUpperCase()}\r\n`)
  try {
    await writeMsi(content, path.join(folder, 'Farhand.Agent.msi'), { version, work: sharedFolder })
  } finally {
    rmSync(digest)
  }
}

/** Offers the agent as a new release; `beforeMain` is JavaScript that runs first in its program. */
export async function offerRelease(mark: string, beforeMain = ''): Promise<void> {
  const folder = path.join(releaseFolder, 'win-x64')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(content, 'mark'), mark)
  writeFileSync(main, `${beforeMain}\n${readFileSync(`${main}.whole`, 'utf8')}`)
  const bundle = path.join(folder, 'Farhand.Agent.bundle.zip')
  await writeZip(content, `${bundle}.new`)
  renameSync(`${bundle}.new`, bundle)
  writeFileSync(path.join(folder, 'Farhand.Agent.Installer.ps1'), trustingWine(installerText('win-x64')))
  writeFileSync(path.join(releaseFolder, 'Version.txt'), '9.0.0.0\n')
}
